import { describe, expect, it } from 'vitest';
import { renderCtrf } from '../../reports/ctrf.js';
import { renderAnnotations } from '../../reports/github-annotations.js';
import { renderJUnit } from '../../reports/junit.js';
import { renderMarkdown } from '../../reports/markdown.js';
import type { RenderOptions } from '../../reports/report-view.js';
import { renderSarif } from '../../reports/sarif.js';
import { renderTerminal } from '../../reports/terminal.js';
import type { Report } from '../../spec/report.js';
import { sampleFailure, sampleReport } from './sample-report.js';

const ids = ['vault-delete.404.other-intern', 'envelope.error.message'] as const;

function reported(changes: { readonly control: boolean; readonly isOld?: boolean }): Report {
  const failures = ids.map((id) => {
    const failure = sampleFailure(id);
    const origin = changes.isOld === true ? {} : { origin: { check: id } };
    return { ...failure, reproduce: { ...failure.reproduce, ...origin } };
  });
  const report = sampleReport({ verdict: 'non-conformant', exitCode: 1, failures });
  return { ...report, target: { ...report.target, control: changes.control } };
}

const note = 'The curl lines need a world of their own; replay opens one.';

describe.each<readonly [string, (report: Report, options: RenderOptions) => string]>([
  ['junit.xml', renderJUnit],
  ['ctrf.json', renderCtrf],
  ['results.sarif', renderSarif],
  ['summary.md', renderMarkdown],
  ['annotations', renderAnnotations],
  [
    'the terminal',
    (report, { directory = '' }) =>
      renderTerminal(report, { color: false, width: 200, reportDir: directory }),
  ],
])('%s', (format, render) => {
  const asText = (report: Report, directory: string) => render(report, { directory });

  it('names the command that sends a finding again, with the folder of the report', () => {
    const text = asText(reported({ control: true }), 'out/tonight');
    expect(text).toContain('plumbline replay out/tonight 1');
    expect(asText(reported({ control: true }), "to night's")).toContain("plumbline replay 'to night");
  });

  it('says where a curl line cannot work alone, and only there', () => {
    const [world, profile] = [true, false].map((control) =>
      asText(reported({ control }), 'out').replace(/\s+/g, ' '),
    );
    // What has no curl line in its text needs no warning of it.
    const warns = !['results.sarif', 'annotations'].includes(format);
    expect([world?.includes(note), profile?.includes(note)]).toEqual([warns, false]);
  });

  it('names no such command for a report that does not say which check made a finding', () => {
    expect(asText(reported({ control: true, isOld: true }), 'out')).not.toContain('plumbline replay');
  });
});
