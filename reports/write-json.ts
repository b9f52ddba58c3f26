import type { Report } from '../spec/report.js';
import { writeWhole } from './write-whole.js';

/** Writes report.json into a folder and gives its path back. Throws as `writeWhole` does. */
export function writeJson(report: Report, directory: string): Promise<string> {
  return writeWhole(directory, 'report.json', `${JSON.stringify(report, null, 2)}\n`);
}
