// How the words of a situation are put together (judge/situation.ts), and taken apart again.

/** Stands between the kind of a situation and its request. */
export const toRequest = ' to ';
/** Ends a situation that only drawn cases showed. */
export const inADrawnCase = ' in a drawn case';
/** Stands between a situation and the requirement whose violation a drawn case showed again. */
export const asIn = ', as in ';

/** A violation as a waiver can name it. */
export interface NamedViolation {
  readonly requirement: string;
  readonly situation: string;
}

/** The violation of another requirement that a drawn case showed again; undefined where it is its own. */
export function shownAgain(situation: string): NamedViolation | undefined {
  const at = situation.lastIndexOf(asIn);
  if (at < 0) return undefined;
  return { requirement: situation.slice(at + asIn.length), situation: situation.slice(0, at) };
}

/** Whether a situation is one that only drawn cases showed, so that a run with another seed may not meet it. */
export function isOfDrawnCases(situation: string): boolean {
  return situation.endsWith(inADrawnCase) || shownAgain(situation) !== undefined;
}

/**
 * Whether a violation that somebody named is the one that was seen: word for word; or, where only a drawn case showed
 * it, one of the same kind, since a run that sends less may draw what another sends always; or the one that it shows
 * again.
 */
export function isSameViolation(named: NamedViolation, seen: NamedViolation): boolean {
  if (named.requirement === seen.requirement) {
    if (named.situation === seen.situation) return true;
    if (!seen.situation.endsWith(inADrawnCase)) return false;
    const kind = seen.situation.slice(0, -inADrawnCase.length);
    return named.situation.startsWith(`${kind}${toRequest}`);
  }
  const again = shownAgain(seen.situation);
  return again?.requirement === named.requirement && again.situation === named.situation;
}
