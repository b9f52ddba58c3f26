import { type Place, pointerOf, type YamlFault } from '../yaml-file.js';

/** A profile's values with the environment's in them. */
export interface FilledValues {
  readonly value: unknown;
  readonly faults: readonly YamlFault[];
  /** The pointers of values that could not be filled in: what stands there now says nothing. */
  readonly unfilled: ReadonlySet<string>;
  /** What was taken from the environment, and where it was put. */
  readonly taken: readonly TakenValue[];
}

/** A value of the environment in its place. */
export interface TakenValue {
  readonly name: string;
  readonly text: string;
  readonly place: Place;
}

// `$${` is a literal `${`; what begins with `${` and is no name is a mistake.
const reference = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

/** Replaces `${NAME}` in every text, names of members left alone. What the environment gives is never read as YAML. */
export function withEnvironment(value: unknown, env: NodeJS.ProcessEnv): FilledValues {
  const filling = new Filling(env);
  return {
    value: filling.filled(value, []),
    faults: filling.faults,
    unfilled: filling.unfilled,
    taken: filling.taken,
  };
}

class Filling {
  readonly faults: YamlFault[] = [];
  readonly unfilled = new Set<string>();
  readonly taken: TakenValue[] = [];
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  filled(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return this.#text(value, place);
    if (Array.isArray(value)) return value.map((item, index) => this.filled(item, [...place, String(index)]));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [
      name,
      this.filled(member, [...place, name]),
    ]);
    return Object.fromEntries(members);
  }

  #text(source: string, place: Place): string {
    return source.replace(reference, (found, name: string | undefined) => {
      if (found === '$${') return '${';
      const text = name === undefined ? undefined : this.#valueOf(name);
      if (name !== undefined && text !== undefined) {
        this.taken.push({ name, text, place });
        return text;
      }
      this.faults.push({ place, message: name === undefined ? malformed : missing(name, place) });
      this.unfilled.add(pointerOf(place));
      return found;
    });
  }

  /** The environment's value; an empty one is as good as none. */
  #valueOf(name: string): string | undefined {
    // process.env answers to the names that every object has.
    const text = Object.hasOwn(this.#env, name) ? this.#env[name] : undefined;
    return text === '' ? undefined : text;
  }
}

const malformed = `begins \${ without a name and }; write \${NAME}, or $\${ where the signs themselves are meant`;

function missing(name: string, [section]: Place): string {
  return `the environment names no ${name}; set it, or take the ${section === 'keys' ? 'key' : 'member'} out`;
}

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
