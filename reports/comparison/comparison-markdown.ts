import type { ComparedRequirement, Comparison } from '../../spec/comparison.js';
import { numberText } from '../amount-text.js';
import { gateLine, headline, runLine, unchangedLine } from './headline.js';
import { inertCode, inertMarkdown } from './inert-markdown.js';
import { type ListedSection, listedSections, stateBefore, violatedAnew } from './sections.js';

/** A comparison as Markdown, for a pull request or the summary of a job. Text from the reports is made inert. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { warnings } = comparison;
  const parts = [
    [`## ${inertMarkdown(headline(comparison))}`],
    [gateLine(comparison)],
    [`- Old: ${inertMarkdown(runLine(comparison.old))}`, `- New: ${inertMarkdown(runLine(comparison.new))}`],
    warnings.map((warning) => `> Warning: ${inertMarkdown(warning)}  `),
    ...violated(comparison),
    ...listedSections(comparison).map(listed),
    [unchangedLine(comparison)],
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`;
}

function violated(comparison: Comparison): readonly (readonly string[])[] {
  const rows = violatedAnew(comparison);
  if (rows.length === 0) return [];
  return [
    [`### Newly violated (${rows.length})`],
    [
      '| requirement | level | section | before | what came |',
      '| --- | --- | --- | --- | --- |',
      ...rows.map((row) => `| ${cells(row).join(' | ')} |`),
    ],
  ];
}

const lengthShown = 200;

function cells(row: ComparedRequirement): readonly string[] {
  const { id, level, section, failures, statement } = row;
  const [first] = failures;
  const more = failures.length > 1 ? `, and ${numberText(failures.length - 1)} more` : '';
  const came =
    first === undefined ? '' : `${inertCode(cut(first.actual))} for ${inertCode(cut(first.expected))}${more}`;
  return [
    `${inertCode(id)}<br>${inertMarkdown(statement)}`,
    level === 'advisory' ? 'advisory, does not decide' : level,
    `§${section}`,
    inertMarkdown(cut(stateBefore(row))),
    came,
  ];
}

const idsShown = 30;

/** Long lists are folded: a summary is read from its top. */
function listed({ heading, meaning, groups }: ListedSection): readonly string[] {
  const size = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const items = groups.map(({ reason, rows }) => {
    const ids = rows.slice(0, idsShown).map(({ id }) => inertCode(id));
    const more = rows.length > idsShown ? `, and ${numberText(rows.length - idsShown)} more` : '';
    const why = reason === null ? '' : `${inertMarkdown(cut(reason))}: `;
    return `- ${why}${ids.join(', ')}${more}`;
  });
  const head = `${heading} (${size})`;
  return ['<details>', `<summary><b>${head}</b>: ${meaning}</summary>`, '', ...items, '', '</details>'];
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= lengthShown ? text : `${characters.slice(0, lengthShown).join('')} …`;
}
