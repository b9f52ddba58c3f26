import { spawn } from 'node:child_process';
import type { Scope } from '../spec/vocabulary.js';
import type { Client, Waiting } from './client.js';
import type { CommandRecipe, HttpRecipe, Profile, StoredIntern, StoredNames } from './profile/profile.js';
import { NotShown } from './world.js';

/** A secret that is to be stored. */
export interface SecretToStore {
  readonly scope: Scope;
  /** The id of the intern; the workspace has none. */
  readonly intern: string | undefined;
  readonly name: string;
  readonly value: string;
}

/** A way to store secrets on a target that has no control protocol. Rejects with StoreError. */
export type Storer = (secret: SecretToStore, signal?: AbortSignal, waiting?: Waiting) => Promise<void>;

/** A secret could not be stored: it was the means that failed, not the service under judgement. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** What a recipe is carried out with. */
interface HttpMeans {
  readonly client: Client;
  readonly baseUrl: string;
  /** The key of the recipe's role; an `Authorization` of the recipe stands in its place. */
  readonly key: string | undefined;
  /** What every request to the target carries. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Stores by a request of the profile's own. */
export function httpStorer(recipe: HttpRecipe, means: HttpMeans): Storer {
  return async (secret, signal, waiting) => {
    const { answer, lost } = await means.client.send(
      request(recipe, secret, means),
      signal,
      { reserves: 1 },
      waiting,
    );
    const what = `the request of the profile that stores a secret (store.http, ${recipe.method})`;
    if (answer === undefined) throw new StoreError(`${what} got no answer: ${lost}`);
    if (!recipe.accept.includes(answer.status)) {
      throw new StoreError(
        `${what} was answered ${answer.status} instead of ${recipe.accept.join(' or ')}; see its path, body and key`,
      );
    }
  };
}

function request(recipe: HttpRecipe, secret: SecretToStore, { baseUrl, key, headers }: HttpMeans) {
  const inAddress = (text: string) => filled(text, secret, encodeURIComponent);
  const address =
    recipe.url === undefined
      ? { base: baseUrl, path: inAddress(recipe.path) }
      : { base: inAddress(recipe.url), path: '' };
  const own = Object.fromEntries(
    Object.entries(recipe.headers).map(([name, text]) => [name, filled(text, secret, (word) => word)]),
  );
  const { body } = recipe;
  const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  return {
    ...address,
    method: recipe.method,
    headers: {
      ...headers,
      ...authorization,
      ...(body === undefined || typeof body === 'string' ? {} : { 'Content-Type': 'application/json' }),
      ...own,
    },
    ...(body === undefined ? {} : { body: bodyText(body, secret) }),
  };
}

function bodyText(body: unknown, secret: SecretToStore): string {
  if (typeof body === 'string') return filled(body, secret, (word) => word);
  return JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'string' ? filled(value, secret, (word) => word) : value,
  );
}

/** A text of a recipe with the secret in place of `{intern}`, `{name}`, `{value}` and `{scope}`, each written as its place asks. */
function filled(
  text: string,
  { intern = '', name, value, scope }: SecretToStore,
  write: (word: string) => string,
): string {
  const words: Readonly<Record<string, string>> = { intern, name, value, scope };
  return text.replace(/\{(intern|name|value|scope)\}/g, (_, word: string) => write(words[word] ?? ''));
}

/** Stores by a program of the profile's own, run without a shell; it counts as one request in flight. */
export function commandStorer({ run, timeout }: CommandRecipe, client: Client): Storer {
  return (secret, signal, waiting) =>
    client.occupy(() => ran(run, timeout, secret, signal), signal, { reserves: 1 }, waiting);
}

function ran(
  [program, ...args]: CommandRecipe['run'],
  timeoutS: number,
  secret: SecretToStore,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (how: string) =>
      reject(new StoreError(`the command of the profile that stores a secret (store.command) ${how}`));
    const child = spawn(program, args, {
      // It reads nothing from us, and what it says is not told: that may hold the value it was given.
      stdio: 'ignore',
      timeout: timeoutS * 1_000,
      killSignal: 'SIGKILL',
      env: { ...process.env, ...environmentOf(secret) },
      ...(signal === undefined ? {} : { signal }),
    });
    child.once('error', ({ code }: NodeJS.ErrnoException) =>
      fail(`could not be run (${code ?? 'unknown error'}); see store.command.run`),
    );
    child.once('exit', (code, endedBy) => {
      if (code === 0) resolve();
      else if (child.killed) fail(`did not end within ${timeoutS} s`);
      else fail(`ended with ${code ?? endedBy ?? 'no code'}; run it by hand to see what it says`);
    });
  });
}

function environmentOf({ intern = '', name, value, scope }: SecretToStore): Readonly<Record<string, string>> {
  return {
    PLUMBLINE_INTERN: intern,
    PLUMBLINE_NAME: name,
    PLUMBLINE_VALUE: value,
    PLUMBLINE_SCOPE: scope,
  };
}

/** Names of secrets that somebody stored beforehand; each is handed out once. */
export class NameList {
  readonly #left: Readonly<Record<StoredIntern, string[]>>;

  constructor(names: StoredNames) {
    this.#left = { own: [...usable(names, 'own')], sibling: [...usable(names, 'sibling')] };
  }

  /** Whether the list has names of an intern, used up or not. */
  static has(names: StoredNames, intern: string): boolean {
    return isStoredIntern(intern) && usable(names, intern).length > 0;
  }

  /** The next name of an intern. Throws NotShown where there is none left. */
  next(intern: string): string {
    const name = isStoredIntern(intern) ? this.#left[intern].shift() : undefined;
    if (name === undefined)
      throw new NotShown(
        `the names that the profile gives for the intern "${intern}" (store.names) are used up`,
      );
    return name;
  }
}

function isStoredIntern(intern: string): intern is StoredIntern {
  return intern === 'own' || intern === 'sibling';
}

/** A name that both interns have says nothing of the sibling alone: asked of the other it is rightly found. */
function usable({ own = [], sibling = [] }: StoredNames, intern: StoredIntern): readonly string[] {
  return intern === 'own' ? own : sibling.filter((name) => !own.includes(name));
}

/** A profile of which one shard uses every so-manieth stored name: each can be deleted only once. */
export function withShareOfNames(
  profile: Profile,
  { index, of }: { readonly index: number; readonly of: number },
): Profile {
  const { store } = profile;
  if (of === 1 || store === undefined || !('names' in store)) return profile;
  const { own = [], sibling = [] } = store.names;
  const share = (names: readonly string[]) => names.filter((_, at) => at % of === index - 1);
  // A name that both interns have serves neither shard as the sibling's: left out before it could be told apart.
  const siblings = sibling.filter((name) => !own.includes(name));
  return { ...profile, store: { ...store, names: { own: share(own), sibling: share(siblings) } } };
}
