import type { Level } from '../spec/ledger.js';
import type { Failure, Report } from '../spec/report.js';
import { isSameViolation } from '../spec/situation.js';
import { inertText } from './inert-text.js';
import { violationsOf } from './violations.js';

/** A violation that a waiver can be written for. */
interface Proposed {
  readonly failure: Failure;
  /** For the reader, each a line: the rule, and what was seen. */
  readonly about: readonly string[];
}

/** What a proposal is made for. */
export interface ProposalOptions {
  /** The levels whose violations stop a release. */
  readonly decides: readonly Level[];
  /** The last day that is proposed, `2030-01-31`. */
  readonly expires: string;
}

const head = `# Known violations that may pass the gate for a time. Each entry covers the one violation that it names.
# Fill in reason and owner; until then the file is refused. An entry whose violation is gone must be removed.
# The day under expires is the last one on which the entry is good, in UTC.
`;

/**
 * A waivers file for the violations of a report that decide and are not let through yet, reason and owner left to be
 * filled in. Undefined where there is none. Text that came from a server is made inert.
 */
export function waiverProposal(report: Report, { decides, expires }: ProposalOptions): string | undefined {
  const proposed = proposals(report, decides);
  if (proposed.length === 0) return undefined;
  const entries = proposed.map(({ failure: { requirement, case: code, situation }, about }) =>
    [
      ...about.map((line) => `  # ${line}`),
      `  - id: ${requirement}`,
      ...(code === undefined ? [] : [`    case: ${code}`]),
      `    situation: ${quoted(situation)}`,
      '    reason:',
      '    owner:',
      `    expires: ${expires}`,
    ].join('\n'),
  );
  return `${head}waivers:\n${entries.join('\n\n')}\n`;
}

function proposals(report: Report, decides: readonly Level[]): readonly Proposed[] {
  const { waived, newer } = report.gate;
  const deciding = violationsOf(report).filter(
    ({ requirement: { id, level } }) =>
      decides.includes(level) && !waived.includes(id) && !newer.includes(id),
  );
  const exact = new Map<string, Proposed>();
  for (const { requirement, failures } of deciding) {
    for (const failure of failures) {
      const { id, level, section, statement } = requirement;
      const about = [`${level}  §${section}  ${statement}`, failure.message];
      const key = JSON.stringify([id, failure.situation]);
      if (!exact.has(key)) exact.set(key, { failure, about: about.map((line) => short(inertText(line))) });
    }
  }
  const all = [...exact.values()];
  // The waiver of what a drawn case showed again covers it there too.
  const isShownAgain = ({ failure }: Proposed): boolean =>
    failure.situation_parts?.as_in !== undefined &&
    all.some((other) => other.failure !== failure && isSameViolation(other.failure, failure));
  return all.filter((one) => !isShownAgain(one));
}

/** A text as YAML in double quotes, whatever it holds: plain, it might be taken for something else. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) =>
    Array.from(
      { length: sign.length },
      (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

const longestComment = 160;

function short(line: string): string {
  const signs = [...line];
  return signs.length <= longestComment ? line : `${signs.slice(0, longestComment - 1).join('')}…`;
}
