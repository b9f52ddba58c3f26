import { type Place, pointerOf } from '../yaml/place.js';

/** A profile before it is known to be good: any member may be missing or of any type. */
export class ProfileDraft {
  readonly #value: unknown;
  readonly #unfilled: ReadonlySet<string>;

  /** Takes the pointers of the values that the environment could not fill in: those are not seen. */
  constructor(value: unknown, unfilled: ReadonlySet<string>) {
    this.#value = value;
    this.#unfilled = unfilled;
  }

  /** The value at a place; undefined where there is none to speak of. */
  at(...place: Place): unknown {
    if (this.#unfilled.has(pointerOf(place))) return undefined;
    return place.reduce(memberOf, this.#value);
  }

  /** The text at a place. */
  text(...place: Place): string | undefined {
    const value = this.at(...place);
    return typeof value === 'string' ? value : undefined;
  }

  /** Whether a member is given at a place, be it one that could not be filled in. */
  has(...place: Place): boolean {
    return place.reduce(memberOf, this.#value) !== undefined;
  }

  /** The texts of a list or of an object's members, by their places. */
  texts(...place: Place): readonly (readonly [place: Place, text: string])[] {
    const holder = this.at(...place);
    if (typeof holder !== 'object' || holder === null) return [];
    return Object.keys(holder).flatMap((name) => {
      const text = this.text(...place, name);
      return text === undefined ? [] : [[[...place, name], text] as const];
    });
  }

  /** Whether something at a place or below it could not be filled in. */
  isUnfilled(...place: Place): boolean {
    const pointer = pointerOf(place);
    return [...this.#unfilled].some((known) => known === pointer || known.startsWith(`${pointer}/`));
  }
}

function memberOf(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
  return (holder as Readonly<Record<string, unknown>>)[name];
}
