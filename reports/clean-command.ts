import type { Report } from '../spec/report.js';

/**
 * The command that removes what a run left behind.
 * @param directory the folder of the report, where it is known
 */
export function cleanCommand({ run: { left_behind: left } }: Report, directory = 'DIR'): string {
  const folder = /^[\w./-]+$/.test(directory) ? directory : `'${directory.replaceAll("'", "'\\''")}'`;
  const means = left.some(({ kind }) => kind === 'world') ? '--control URL' : '--profile FILE';
  return `plumbline clean --from ${folder} ${means}`;
}
