import type { RequirementId } from '../spec/ledger.js';
import { asIn, inADrawnCase, toRequest } from '../spec/situation.js';
import type { Redactor } from '../targets/redaction.js';
import type { Finding } from './finding.js';
import type { Violation } from './judgement.js';

/** What tells one violation of a requirement from another: the same in every run that meets the same defect. */
export interface SituationWords {
  /** The operation and what came, `vault-delete answered 204`; for a rule on every response, and what is wrong with it. */
  readonly kind: string;
  /** The kind, and for which request: `vault-delete answered 204 to DELETE own/a name as member`. */
  readonly exact: string;
  /** The same, had the request neither query nor body and been for the own intern: a drawn case may differ in these. */
  readonly bare: string;
}

// Enough to tell two apart; what a server says can be a page.
const longestWords = 200;

/** The situation of a finding, without what differs from run to run and without secrets. */
export function situationOf(finding: Finding, redactor: Redactor): SituationWords {
  const { exchange, request, aspect } = finding;
  const { operation, answer, lost } = exchange;
  const came = answer === undefined ? `not answered: ${lost ?? 'no answer'}` : `answered ${answer.status}`;
  const kind = words(`${operation} ${came}`);
  // Redacted first: half of a secret would not be found.
  const seen = aspect === undefined ? '' : `: ${steady(redactor.redact(aspect))}`;
  // A rule for every response is broken alike whichever request shows it.
  const ofRule = words(kind + seen);
  if (request === undefined) return { kind: ofRule, exact: ofRule, bare: ofRule };
  const to = (label: string): string =>
    words(`${kind}${toRequest}${steadyNames(redactor.redact(label))}${seen}`);
  return { kind, exact: to(request.plain), bare: to(request.bare) };
}

/** Names the situation of a violation. */
export type SituationNamer = (violation: Violation) => string;

/**
 * Names the situations of a run's violations. A drawn case differs from seed to seed. What it shows is the violation
 * that a case which every run sends shows too, of the same kind and requirement. Failing that, the same request with
 * the same answer may be laid to another requirement there, since a drawn case has more things wrong. Failing that
 * too, the kind alone is told.
 */
export function situationsOf(all: readonly Violation[]): SituationNamer {
  const ofKind = new Map<string, string>();
  const elsewhere = new Map<string, RequirementId>();
  for (const violation of all.filter((one) => !isDrawn(one))) {
    const { requirement, situation } = violation;
    if (!ofKind.has(kindKey(violation))) ofKind.set(kindKey(violation), situation.exact);
    if (!elsewhere.has(situation.exact)) elsewhere.set(situation.exact, requirement);
  }
  return (violation) => {
    const { kind, exact, bare } = violation.situation;
    if (!isDrawn(violation)) return exact;
    const known = ofKind.get(kindKey(violation));
    if (known !== undefined) return known;
    for (const words of [exact, bare]) {
      const other = elsewhere.get(words);
      if (other !== undefined) return `${words}${asIn}${other}`;
    }
    return `${kind}${inADrawnCase}`;
  };
}

function isDrawn({ sampled, replay }: Violation): boolean {
  return sampled || replay?.isDrawn === true;
}

function kindKey({ requirement, situation }: Violation): string {
  return `${requirement} ${situation.kind}`;
}

function words(text: string): string {
  const plain = text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, '?')
    .replace(/\s+/g, ' ')
    .trim();
  const signs = [...plain];
  return signs.length <= longestWords ? plain : `${signs.slice(0, longestWords - 1).join('')}…`;
}

/** What was seen without its figures and quoted texts, statuses and codes aside; an index of a list is `[]`. */
function steady(text: string): string {
  return steadyNames(text)
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/(?<=[a-z_\]])\.\d+(?=[. ]|$)/g, '.[]')
    .replace(/(?<![\w.-])(?<!^|code is |code |status is |status )-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)/g, 'n');
}

/** A text without the names and ids that are made up anew in every run. */
function steadyNames(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, 'an id')
    .replace(/p?lumb[aeio]{6,}/g, '(fresh)');
}
