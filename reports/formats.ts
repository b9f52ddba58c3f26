import type { Report } from '../spec/report.js';
import type { Traffic } from '../spec/traffic.js';
import { inertJson } from './inert-json.js';
import { writeWhole } from './write-whole.js';

/** The formats of a report, in the order in which they are written: what machines wait for first. */
export const formats = ['json', 'junit', 'ctrf', 'sarif', 'markdown', 'html', 'har'] as const;
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
    render: async ({ report }) => `${inertJson(report, 2)}\n`,
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
};

/** The name of the file that a format is written to. */
export function fileOfFormat(format: Format): string {
  return renderings[format].file;
}

/** Renders a run in some formats into a folder and gives the paths back. Throws as `writeWhole` does. */
export async function writeFormats(
  run: RunFiles,
  directory: string,
  wanted: readonly Format[],
): Promise<readonly string[]> {
  const paths: string[] = [];
  // One after another, so that one text at a time is held.
  for (const format of formats.filter((one) => wanted.includes(one))) {
    const { file, render } = renderings[format];
    paths.push(await writeWhole(directory, file, await render(run)));
  }
  return paths;
}
