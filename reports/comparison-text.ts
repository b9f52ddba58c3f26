import type { Comparison } from './comparison.js';
import { describeComparison } from './comparison-view.js';
import { codeSpan, fenceShell, prose } from './markdown-text.js';
import { joinParts, type LayoutOptions, TerminalLayout } from './terminal-layout.js';
import { formatCount, shortList } from './wording.js';

/** Renders a comparison for a terminal. Ends with a line end; text from the reports is sanitized. */
export function renderComparisonTerminal(comparison: Comparison, options: LayoutOptions): string {
  const { title, tone, runs, warnings, failed, sections, closing } = describeComparison(comparison);
  const layout = new TerminalLayout(options);
  const { bold, cyan, dim, red, yellow } = layout.paint;
  return joinParts([
    [
      ...layout.prose(title, 0, layout.paintVerdict(tone)),
      ...runs.flatMap(([label, text]) => layout.labelled(label, text, 2)),
      ...warnings.flatMap((warning) => layout.prose(`Warning: ${warning}`, 0, yellow)),
    ],
    failed.length === 0 ? [] : [bold(`New violations: ${formatCount(failed.length, 'requirement')}`)],
    ...failed.map(({ id, rank, isAdvisory, statement, before, failures, more }) => [
      ...layout.prose(`${id} (${rank})`, 0, isAdvisory ? yellow : red),
      ...layout.prose(statement, 2),
      ...layout.labelled('before', before, 2),
      ...failures.flatMap(({ facts, command }) => [
        ...facts.flatMap(([label, text]) => layout.labelled(label, text, 2)),
        // Whole, on a line of its own, so that it can be copied.
        `  ${cyan(command)}`,
      ]),
      ...(more > 0 ? [`  ${formatCount(more, 'more violation')} in the new report`] : []),
    ]),
    ...sections.map(({ heading, meaning, groups }) => [
      ...layout.prose(`${heading}: ${meaning}`, 0, bold),
      ...groups.flatMap(({ reason, ids }) => [
        ...(reason === null ? [] : layout.prose(reason, 2)),
        ...layout.prose(shortList(ids, 8), 4, dim),
      ]),
    ]),
    closing.flatMap((text) => layout.prose(text)),
  ]);
}

/** Renders a comparison as Markdown, for a pull request or a job summary. Text from the reports is sanitized. */
export function renderComparisonMarkdown(comparison: Comparison): string {
  const { title, runs, warnings, failed, sections, closing } = describeComparison(comparison);
  return joinParts([
    [`## ${prose(title)}`],
    [closing.join(' ')],
    runs.map(([label, text]) => `- ${label}: ${codeSpan(text)}`),
    warnings.map((warning) => `> Warning: ${prose(warning)}  `),
    failed.length === 0 ? [] : [`### New violations: ${formatCount(failed.length, 'requirement')}`],
    ...failed.flatMap(({ id, rank, statement, before, failures, more }) => [
      [`#### ${codeSpan(id)} (${rank})`],
      [prose(statement)],
      [`- before: ${prose(before)}`],
      ...failures.flatMap(({ facts, command }) => [
        facts.map(([label, text]) => `- ${label} ${codeSpan(text)}`),
        [fenceShell([command])],
      ]),
      more > 0 ? [`${formatCount(more, 'more violation')} in the new report.`] : [],
    ]),
    // A summary is read from its top: long lists are folded.
    ...sections.map(({ heading, meaning, groups }) => [
      '<details>',
      `<summary><b>${heading}</b>: ${meaning}</summary>`,
      '',
      ...groups.map(({ reason, ids }) => {
        const why = reason === null ? '' : `${prose(reason)}: `;
        const codes = ids.map((id) => codeSpan(id));
        return `- ${why}${shortList(codes, 30)}`;
      }),
      '',
      '</details>',
    ]),
  ]);
}
