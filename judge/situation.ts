import type { Redactor } from '../targets/redaction.js';
import type { Finding } from './finding.js';
import type { Violation } from './judgement.js';

/** What tells one violation of a requirement from another: the same in every run that meets the same defect. */
export interface SituationWords {
  /** The operation and what came, `vault-delete answered 204`; for a rule on every response, and what is wrong with it. */
  readonly kind: string;
  /** The kind, and for which request: `vault-delete answered 204 to DELETE own/a name as member`. */
  readonly exact: string;
}

// Enough to tell two apart; what a server says can be a page.
const longestWords = 200;

/** The situation of a finding, without what differs from run to run and without secrets. */
export function situationOf(finding: Finding, redactor: Redactor): SituationWords {
  const { exchange, request, aspect } = finding;
  const { operation, answer, lost } = exchange;
  const came = answer === undefined ? `not answered: ${lost ?? 'no answer'}` : `answered ${answer.status}`;
  const kind = `${operation} ${came}`;
  // Redacted first: half of a secret would not be found.
  const seen = aspect === undefined ? '' : `: ${steady(redactor.redact(aspect))}`;
  // A rule for every response is broken alike whichever request shows it.
  if (request === undefined) return { kind: words(kind + seen), exact: words(kind + seen) };
  return { kind: words(kind), exact: words(`${kind} to ${steadyNames(redactor.redact(request))}${seen}`) };
}

/**
 * Names the situations of a run's violations. What a drawn case shows is the violation that a case which every run
 * sends shows too, where there is one; where there is none its request differs from seed to seed, and only the kind
 * is told.
 */
export function situationsOf(all: readonly Violation[]): (violation: Violation) => string {
  const exact = new Map<string, string>();
  for (const violation of all) {
    const key = kindKey(violation);
    if (!isDrawn(violation) && !exact.has(key)) exact.set(key, violation.situation.exact);
  }
  return (violation) =>
    isDrawn(violation)
      ? (exact.get(kindKey(violation)) ?? violation.situation.kind)
      : violation.situation.exact;
}

function isDrawn({ sampled, replay }: Violation): boolean {
  return sampled || replay?.isDrawn === true;
}

function kindKey({ requirement, situation }: Violation): string {
  return `${requirement} ${situation.kind}`;
}

function words(text: string): string {
  const plain = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, '?').replace(/\s+/g, ' ').trim();
  const signs = [...plain];
  return signs.length <= longestWords ? plain : `${signs.slice(0, longestWords - 1).join('')}…`;
}

/** What was seen without its figures and quoted texts, statuses and codes aside; an index of a list is `[]`. */
function steady(text: string): string {
  return steadyNames(text)
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\.\d+(?=[. ]|$)/g, '.[]')
    .replace(/(?<![\w.-])(?<!^|code is |code |status is |status )-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)/g, 'n');
}

/** A text without the names and ids that are made up anew in every run. */
function steadyNames(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, 'an id')
    .replace(/p?lumb[aeio]{6,}(?:_?\d+_?)?/g, '(fresh)');
}
