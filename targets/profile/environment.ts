import { type Place, pointerOf, type YamlFault } from '../yaml/place.js';

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
