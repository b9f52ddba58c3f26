import type { Failure } from '../spec/report.js';
import { counted, numberText } from './amount-text.js';
import type { Section } from './fitted-sections.js';
import { codeSpan, fenced, inertProse } from './markdown-text.js';
import { decides, type Violation } from './violations.js';

const furtherShown = 5;
// A longer line fits no shell; the report holds it.
const longestCommand = 8_000;

/** Violations that decide, each with all that it takes to see it again. */
export function violatedSection(violations: readonly Violation[], waived: readonly string[]): Section {
  const deciding = violations.filter(decides);
  return {
    heading: `### Violated (${deciding.length})`,
    entries: deciding.map((violation) => violationEntry(violation, waived)),
  };
}

/** Violations of what the document does not state: told briefly, since they do not decide. */
export function adviceSection(violations: readonly Violation[]): Section {
  const advice = violations.filter((violation) => !decides(violation));
  return {
    heading: `### Advice not kept (${advice.length}); it does not decide`,
    entries: advice.map(({ requirement: { id, section, statement, reason }, failures }) => {
      const came = failures[0]?.actual ?? reason;
      const told = `- \`${id}\` §${section}: ${inertProse(statement)}`;
      return came === null ? told : `${told} Came: ${codeSpan(came)}`;
    }),
  };
}

function violationEntry({ requirement, failures }: Violation, waived: readonly string[]): string {
  const { id, section, level, statement, reason } = requirement;
  const note = waived.includes(id) ? ' (waived)' : '';
  const [first, ...further] = failures;
  return [
    `#### ${level} \`${id}\` §${section}${note}`,
    inertProse(statement),
    first === undefined ? inertProse(reason ?? 'No evidence of it is in this report.') : failureText(first),
    ...(further.length === 0 ? [] : [furtherText(further)]),
  ].join('\n\n');
}

function failureText({
  message,
  expected,
  actual,
  confirmed,
  reproduce: { curl, command },
}: Failure): string {
  return [
    `${codeSpan(message)}`,
    '',
    `- expected ${codeSpan(expected)}`,
    `- came ${codeSpan(actual)}`,
    `- confirmed ${codeSpan(confirmed)}`,
    '',
    fenced('sh', [copied(curl, 'curl line'), copied(command, 'command')]),
  ].join('\n');
}

function copied(line: string, what: string): string {
  return line.length <= longestCommand
    ? line
    : `# The ${what} has ${numberText(line.length)} characters; report.json holds it.`;
}

function furtherText(failures: readonly Failure[]): string {
  const more = failures.length - furtherShown;
  return [
    `Shown ${counted(failures.length, 'more time')}:`,
    '',
    ...failures.slice(0, furtherShown).map(({ message }) => `- ${codeSpan(message)}`),
    ...(more > 0 ? [`- and ${more} more, in report.json`] : []),
  ].join('\n');
}
