import { type FileFault, type MemberPath, pointerOf } from '../yaml-file.js';

/** A value of the environment in its place. */
export interface TakenValue {
  readonly name: string;
  readonly text: string;
  readonly place: MemberPath;
}

/** A profile's values with those of the environment in them. */
interface FilledProfile {
  readonly value: unknown;
  readonly faults: readonly FileFault[];
  /** The pointers of values that could not be filled in: what stands there now says nothing. */
  readonly unfilled: ReadonlySet<string>;
  readonly taken: readonly TakenValue[];
}

// `$${` is a literal `${`; what begins with `${` and is no name is a mistake.
const reference = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

/** Replaces `${NAME}` in every text, names of members left alone. What the environment gives is never read as YAML. */
export function fillFromEnvironment(profile: unknown, env: NodeJS.ProcessEnv): FilledProfile {
  const faults: FileFault[] = [];
  const unfilled = new Set<string>();
  const taken: TakenValue[] = [];
  const fillText = (source: string, place: MemberPath): string =>
    source.replace(reference, (found, name: string | undefined) => {
      if (found === '$${') return '${';
      // An empty value is as good as none; process.env answers to the names that every object has.
      const text = name !== undefined && Object.hasOwn(env, name) ? env[name] || undefined : undefined;
      if (name !== undefined && text !== undefined) {
        taken.push({ name, text, place });
        return text;
      }
      faults.push({ place, message: name === undefined ? malformed : describeUnset(name, place) });
      unfilled.add(pointerOf(place));
      return found;
    });
  const fill = (value: unknown, place: MemberPath): unknown => {
    if (typeof value === 'string') return fillText(value, place);
    if (Array.isArray(value)) return value.map((item, index) => fill(item, [...place, String(index)]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, fill(member, [...place, name])]),
    );
  };
  return { value: fill(profile, []), faults, unfilled, taken };
}

const malformed = `has \${ without a name and }; write \${NAME}, or $\${ for the signs themselves`;

function describeUnset(name: string, [section]: MemberPath): string {
  const member = section === 'keys' ? 'key' : 'member';
  return `environment variable ${name} is not set; set it or remove this ${member}`;
}

/** A profile before it is known to be good: any member may be missing or of any type. */
export class ProfileDraft {
  readonly #value: unknown;
  readonly #unfilled: ReadonlySet<string>;

  /** @param unfilled the pointers of the values that the environment could not fill in: those are not seen */
  constructor(value: unknown, unfilled: ReadonlySet<string>) {
    this.#value = value;
    this.#unfilled = unfilled;
  }

  /** The value at a place; undefined where there is none to speak of. */
  at(...place: MemberPath): unknown {
    if (this.#unfilled.has(pointerOf(place))) return undefined;
    return place.reduce(readMember, this.#value);
  }

  /** The text at a place. */
  text(...place: MemberPath): string | undefined {
    const value = this.at(...place);
    return typeof value === 'string' ? value : undefined;
  }

  /** Whether a member is given at a place, be it one that could not be filled in. */
  has(...place: MemberPath): boolean {
    return place.reduce(readMember, this.#value) !== undefined;
  }

  /** The texts of a list or of an object's members, by their places. */
  texts(...place: MemberPath): readonly (readonly [place: MemberPath, text: string])[] {
    return Object.keys(Object(this.at(...place))).flatMap((name) => {
      const text = this.text(...place, name);
      return text === undefined ? [] : [[[...place, name], text] as const];
    });
  }

  /** Whether something at a place or below it could not be filled in. */
  isUnfilled(...place: MemberPath): boolean {
    const pointer = pointerOf(place);
    return [...this.#unfilled].some((known) => known === pointer || known.startsWith(`${pointer}/`));
  }
}

function readMember(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
  return (holder as Readonly<Record<string, unknown>>)[name];
}
