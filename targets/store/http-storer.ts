import type { Client } from '../client.js';
import type { HttpRecipe } from '../profile/profile.js';
import { filled } from './filled.js';
import { type SecretToStore, StoreError, type Storer } from './storer.js';

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
