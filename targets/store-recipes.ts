import { spawn } from 'node:child_process';
import type { Scope } from '../spec/vocabulary.js';
import type { Client, SendOptions } from './client.js';
import { isNeverConnected } from './connection-errors.js';
import type { CommandRecipe, HttpRecipe, Profile, StoredNames } from './profile/profile.js';
import { sendWithRetries } from './retries.js';
import { NotShown, type StoreStep } from './world.js';

/** A secret to store. */
export interface SecretToStore {
  readonly scope: Scope;
  /** Its id; the workspace has none. */
  readonly intern: string | undefined;
  readonly name: string;
  readonly value: string;
}

/** How secrets are stored on a target that has no control protocol. */
export interface Storer {
  /** Rejects with StoreError. */
  readonly store: (secret: SecretToStore, signal?: AbortSignal, options?: SendOptions) => Promise<void>;
  /** Describes how a secret is stored by hand. */
  readonly describe: (secret: SecretToStore) => StoreStep['step'];
}

/** A secret could not be stored: the recipe failed, not the service under judgement. */
export class StoreError extends Error {
  override readonly name = 'StoreError';

  /** @param mayBeStored whether the secret may have been stored despite the error */
  constructor(
    message: string,
    readonly mayBeStored = true,
  ) {
    super(message);
  }
}

interface HttpStorerOptions {
  readonly client: Client;
  readonly baseUrl: string;
  /** The key of the scope, or else of the recipe's role. An `Authorization` header of the recipe replaces it. */
  readonly key: string | undefined;
  /** The entries of the profile that give the recipe and the key. */
  readonly entry: string;
  readonly keyEntry: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a storer that sends the request of a profile. */
export function makeHttpStorer(recipe: HttpRecipe, means: HttpStorerOptions): Storer {
  const { entry, keyEntry } = means;
  const what = `the request of the profile that stores a secret (${entry}.http, ${recipe.method})`;
  return {
    store: async (secret, signal, options) => {
      const outgoing = fillRequest(recipe, secret, means);
      const { answer, lost, errorCode } = await sendWithRetries(means.client, outgoing, {
        signal,
        over: options?.queuedUntil,
        options: { ...options, reserves: 1 },
      });
      if (answer === undefined)
        throw new StoreError(`${what} got no answer: ${lost}`, !isNeverConnected(errorCode));
      const { status } = answer;
      if (!recipe.accept.includes(status)) {
        const text = `${what} was answered ${status} instead of ${recipe.accept.join(' or ')}`;
        throw new StoreError(`${text}; ${adviseAfter(status, keyEntry)}`, status !== 401);
      }
    },
    describe: (secret) => {
      const { base, path, headers, ...request } = fillRequest(recipe, secret, means);
      return { ...request, url: `${base}${path}`, headers: Object.entries(headers) };
    },
  };
}

function adviseAfter(status: number, keyEntry: string): string {
  if (status === 429) return 'a lower --rate may help';
  return status >= 500 ? 'try again later' : `see its path, its body and ${keyEntry}`;
}

// The words after `Bearer`, `--token` or `X-Api-Key:`.
const namedCredential =
  /((?:\b(?:bearer|basic)\s+|-[\w-]*(?:token|password|secret|key)[\s\0=]+|\b[\w-]*(?:token|password|secret|key)["']?\s*[:=]\s*)["']?)[^\s\0"'$<{]{12,}/gi;
const userInfo = /(?<=\/\/)[^/@\s\0$<]+(?=@)/g;
// An ID is not a secret.
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
const token = /(?<![\w$-])[\w+=-]{12,}/g;

/**
 * Hides what looks like a credential in the words of a command: a profile may contain one, though it belongs in the
 * environment. Redact values of the environment before.
 */
export function hideCredentials([program = '', ...words]: readonly string[]): readonly string[] {
  const hidden = '<redacted>';
  const isRandom = (part: string) => part.length >= 8 && /\d.*\d/.test(part) && /[a-z].*[a-z]/i.test(part);
  const text = words
    .join('\0')
    .replace(namedCredential, `$1${hidden}`)
    .replace(userInfo, hidden)
    .replace(token, (found) => {
      const parts = found.replace(uuid, '').split(/[-_+=]/);
      return parts.some(isRandom) ? hidden : found;
    });
  return [program, ...(words.length === 0 ? [] : text.split('\0'))];
}

/** Returns the environment variables that give a program the secret to store. */
function describeSecret({ intern = '', name, value, scope }: SecretToStore) {
  return { PLUMBLINE_INTERN: intern, PLUMBLINE_NAME: name, PLUMBLINE_VALUE: value, PLUMBLINE_SCOPE: scope };
}

function fillRequest(
  recipe: HttpRecipe,
  secret: SecretToStore,
  { baseUrl, key, headers }: HttpStorerOptions,
) {
  const { method, url, path = '', body } = recipe;
  const fill = (text: string) => fillTemplate(text, secret, (word) => word);
  const address =
    url === undefined
      ? { base: baseUrl, path: fillTemplate(path, secret, encodeURIComponent) }
      : { base: fillTemplate(url, secret, encodeURIComponent), path: '' };
  const isJson = body !== undefined && typeof body !== 'string';
  const bodyText = isJson
    ? JSON.stringify(body, (_, value: unknown) => (typeof value === 'string' ? fill(value) : value))
    : body && fill(body);
  return {
    ...address,
    method,
    headers: {
      ...headers,
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(isJson ? { 'Content-Type': 'application/json' } : {}),
      ...Object.fromEntries(Object.entries(recipe.headers).map(([name, text]) => [name, fill(text)])),
    },
    ...(bodyText === undefined ? {} : { body: bodyText }),
  };
}

/** Replaces `{intern}`, `{name}`, `{value}` and `{scope}`, encoded by `write`. */
function fillTemplate(
  text: string,
  { intern = '', name, value, scope }: SecretToStore,
  write: (word: string) => string,
): string {
  const words: Readonly<Record<string, string>> = { intern, name, value, scope };
  return text.replace(/\{(intern|name|value|scope)\}/g, (_, word: string) => write(words[word] ?? ''));
}

/** Makes a storer that runs the program of a profile without a shell; it counts as one request in flight. */
export function makeCommandStorer(recipe: CommandRecipe, client: Client, entry: string): Storer {
  return {
    store: (secret, signal, options) =>
      client.occupy(() => runCommand(recipe, secret, signal, entry), signal, { ...options, reserves: 1 }),
    describe: (secret) => ({ environment: describeSecret(secret), run: recipe.run }),
  };
}

function runCommand(
  { run: [program = '', ...args], timeout }: CommandRecipe,
  secret: SecretToStore,
  signal: AbortSignal | undefined,
  entry: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (how: string) =>
      reject(new StoreError(`the command of the profile that stores a secret (${entry}.command) ${how}`));
    const child = spawn(program, args, {
      // Its output is not shown: that may contain the value.
      stdio: 'ignore',
      timeout: timeout * 1_000,
      killSignal: 'SIGKILL',
      env: { ...process.env, ...describeSecret(secret) },
      signal,
    });
    child.once('error', ({ code }: NodeJS.ErrnoException) =>
      fail(`could not be run (${code ?? 'unknown error'}); see ${entry}.command.run`),
    );
    child.once('exit', (code, endedBy) => {
      if (code === 0) resolve();
      else if (child.killed) fail(`did not end within ${timeout} s`);
      else fail(`ended with ${code ?? endedBy ?? 'no code'}; run it by hand to see its output`);
    });
  });
}

/** Names of secrets that were stored beforehand; each is used once. */
export class NameList {
  readonly #left: ReadonlyMap<string, string[]>;

  constructor(names: StoredNames) {
    const given = Object.entries(separateNames(names)).filter(([, ofIntern]) => ofIntern.length > 0);
    this.#left = new Map(given.map(([intern, ofIntern]) => [intern, [...ofIntern]]));
  }

  /** Whether names of an intern were given, used up or not. */
  has(intern: string): boolean {
    return this.#left.has(intern);
  }

  /** Returns the next name of an intern. Throws NotShown where none is left. */
  next(intern: string): string {
    const name = this.#left.get(intern)?.shift();
    if (name === undefined)
      throw new NotShown(
        `the names that the profile gives for the intern "${intern}" (store.names) are used up`,
      );
    return name;
  }
}

/** Drops names of the sibling that the intern has too: a delete there would rightly succeed. */
function separateNames({ own = [], sibling = [] }: StoredNames): Required<StoredNames> {
  return { own, sibling: sibling.filter((name) => !own.includes(name)) };
}

/** Leaves a shard every n-th stored name of a profile: each can be deleted only once. */
export function selectShardNames(
  profile: Profile,
  { index, of }: { readonly index: number; readonly of: number },
): Profile {
  const { store } = profile;
  if (of === 1 || store?.names === undefined) return profile;
  const { own, sibling } = separateNames(store.names);
  const select = (names: readonly string[]) => names.filter((_, at) => at % of === index - 1);
  return { ...profile, store: { ...store, names: { own: select(own), sibling: select(sibling) } } };
}
