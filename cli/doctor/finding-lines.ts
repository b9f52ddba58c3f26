import { counted } from '../../reports/amount-text.js';
import { inertText } from '../../reports/inert-text.js';
import type { Paint } from '../../reports/sheet.js';
import { describeFinding, type ProfileFinding } from '../../targets/diagnosis/probe-client.js';
import type { Redactor } from '../../targets/redaction.js';

const marks: Readonly<Record<ProfileFinding['state'], (paint: Paint) => string>> = {
  ok: ({ green }) => green('ok     '),
  wrong: ({ red }) => red('wrong  '),
  missing: ({ yellow }) => yellow('missing'),
  note: ({ dim }) => dim('note   '),
};

/** Findings as text, one line each. No line holds a secret, or anything that acts on a terminal. */
export function findingLines(
  findings: readonly ProfileFinding[],
  { redactor, paint }: { readonly redactor: Redactor; readonly paint: Paint },
): readonly string[] {
  const safe = (text: string) => inertText(redactor.redact(text));
  return findings.map((finding) => `${marks[finding.state](paint)}  ${safe(describeFinding(finding))}`);
}

/**
 * What the findings come to, in one line.
 * @param target the target as the command line gave it
 */
export function findingsSummary(findings: readonly ProfileFinding[], target: string): string {
  const wrong = findings.filter(({ state }) => state === 'wrong').length;
  const missing = findings.filter(({ state }) => state === 'missing').length;
  const left = missing === 0 ? '' : ` ${counted(missing, 'thing')} could be given besides.`;
  if (wrong > 0) return `${counted(wrong, 'thing')} ${wrong === 1 ? 'is' : 'are'} wrong.${left}`;
  return `Nothing is wrong.${left} Next: plumbline plan ${inertText(target)}`;
}
