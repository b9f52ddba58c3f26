import { join } from 'node:path';
import type { Traffic } from '../spec/journal.js';
import type { Report } from '../spec/report.js';
import type { RenderOptions } from './report-view.js';
import { renderJson } from './sanitize.js';

/** The file of each format of a report. */
export const reportFiles = {
  json: 'report.json',
  junit: 'junit.xml',
  ctrf: 'ctrf.json',
  sarif: 'results.sarif',
  markdown: 'summary.md',
  html: 'report.html',
  har: 'traffic.har',
  metrics: 'metrics.prom',
  badge: 'badge.json',
} as const;
export type Format = keyof typeof reportFiles;
export const formats = Object.keys(reportFiles) as readonly Format[];

/** The record of a run, from which every format is rendered. */
export interface RunEvidence {
  readonly report: Report;
  readonly traffic: Traffic;
}

/** Renders report.json. */
export function renderReportJson(report: Report): string {
  return `${renderJson(report, 2)}\n`;
}

type Renderer = (run: RunEvidence, options: RenderOptions) => Promise<string>;

/** Each loads its module when it is called: an unused renderer costs nothing. */
const renderers: Readonly<Record<Format, Renderer>> = {
  json: async ({ report }) => renderReportJson(report),
  junit: async ({ report }, options) => (await import('./junit.js')).renderJUnit(report, options),
  ctrf: async ({ report }, options) => (await import('./ctrf.js')).renderCtrf(report, options),
  sarif: async ({ report }, options) => (await import('./sarif.js')).renderSarif(report, options),
  markdown: async ({ report }, options) => (await import('./markdown.js')).renderMarkdown(report, options),
  html: async ({ report }, options) => (await import('./html/page.js')).renderHtml(report, options),
  har: async ({ report, traffic }) => (await import('./har.js')).renderHar(report, traffic),
  metrics: async ({ report }) => (await import('./metrics.js')).renderMetrics(report),
  badge: async ({ report }) => (await import('./badge.js')).renderBadge(report),
};

/** Writes a run in some formats, all or none, report.json last since others wait for it; returns the paths. */
export async function writeFormats(
  run: RunEvidence,
  directory: string,
  wanted: readonly Format[],
  options: RenderOptions = {},
): Promise<readonly string[]> {
  const chosen = formats.filter((format) => wanted.includes(format));
  const files = chosen.map((format) => ({
    name: reportFiles[format],
    render: () => renderers[format](run, { ...options, directory }),
  }));
  const { writeAllOrNone } = await import('./atomic-write.js');
  await writeAllOrNone(directory, files.toReversed());
  return files.map(({ name }) => join(directory, name));
}
