import { join } from 'node:path';
import type { Traffic } from '../spec/journal.js';
import type { Report } from '../spec/report.js';
import { inertJson } from './inert-json.js';
import { writeTogether } from './write-whole.js';

/** The formats of a report. */
export const formats = [
  'json',
  'junit',
  'ctrf',
  'sarif',
  'markdown',
  'html',
  'har',
  'metrics',
  'badge',
] as const;
export type Format = (typeof formats)[number];

/** One record of a run, from which every format is rendered. */
export interface RunFiles {
  readonly report: Report;
  readonly traffic: Traffic;
}

interface Rendering {
  readonly file: string;
  /** Loaded when it is asked for: a renderer that is not used costs nothing. */
  readonly render: (run: RunFiles) => Promise<string>;
}

const renderings: Readonly<Record<Format, Rendering>> = {
  json: {
    file: 'report.json',
    render: async ({ report }) => renderReportJson(report),
  },
  junit: {
    file: 'junit.xml',
    render: async ({ report }) => (await import('./junit.js')).junitXml(report),
  },
  ctrf: {
    file: 'ctrf.json',
    render: async ({ report }) => (await import('./ctrf.js')).ctrfJson(report),
  },
  sarif: {
    file: 'results.sarif',
    render: async ({ report }) => (await import('./sarif.js')).sarifLog(report),
  },
  markdown: {
    file: 'summary.md',
    render: async ({ report }) => (await import('./markdown.js')).markdownSummary(report),
  },
  html: {
    file: 'report.html',
    render: async ({ report }) => (await import('./html/page.js')).htmlPage(report),
  },
  har: {
    file: 'traffic.har',
    render: async ({ report, traffic }) => (await import('./har.js')).harLog(report, traffic),
  },
  metrics: {
    file: 'metrics.prom',
    render: async ({ report }) => (await import('./metrics.js')).renderMetrics(report),
  },
  badge: {
    file: 'badge.json',
    render: async ({ report }) => (await import('./badge.js')).renderBadge(report),
  },
};

/** Renders a report as report.json has it. */
export function renderReportJson(report: Report): string {
  return `${inertJson(report, 2)}\n`;
}

/** The name of the file that a format is written to. */
export function fileOfFormat(format: Format): string {
  return renderings[format].file;
}

/**
 * Renders a run in some formats into a folder and gives the paths back. Either all of them are written or none, report.json
 * last: what waits for it finds the others, and no file passes for the result of a run whose reports failed. Throws as
 * `writeTogether` does.
 */
export async function writeFormats(
  run: RunFiles,
  directory: string,
  wanted: readonly Format[],
): Promise<readonly string[]> {
  const chosen = formats.filter((format) => wanted.includes(format)).map((format) => renderings[format]);
  const files = chosen.map(({ file, render }) => ({ name: file, render: () => render(run) }));
  await writeTogether(directory, files.toReversed());
  return chosen.map(({ file }) => join(directory, file));
}
