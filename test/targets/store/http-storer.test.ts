import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../../../targets/client.js';
import type { HttpRecipe } from '../../../targets/profile/profile.js';
import { CeilingReached } from '../../../targets/request-ceiling.js';
import { httpStorer } from '../../../targets/store/http-storer.js';
import { type SecretToStore, StoreError } from '../../../targets/store/storer.js';
import { type Listening, listening } from '../listening.js';

interface Came {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let came: Came[];
let status: number;
let server: Listening;
let client: Client;
beforeEach(async () => {
  came = [];
  status = 201;
  client = new Client({ concurrency: 2, timeoutMs: 300 });
  server = await listening((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      came.push({ method: request.method, url: request.url, headers: request.headers, body });
      if (status > 0) response.writeHead(status).end('said with the value in it: s3cret-value');
    });
  });
});
afterEach(async () => {
  client.close();
  await server.close();
});

const secret: SecretToStore = { scope: 'own', intern: 'id-1', name: 'plumb_a', value: 's3cret-value' };

type Recipe = Partial<Omit<HttpRecipe, 'path' | 'url'>> & { readonly path?: string; readonly url?: string };

async function stored(recipe: Recipe, what: SecretToStore = secret, headers = {}): Promise<Came | undefined> {
  const address =
    recipe.url === undefined ? { path: recipe.path ?? '/store/{intern}/{name}' } : { url: recipe.url };
  const { path: _path, url: _url, ...more } = recipe;
  const whole: HttpRecipe = {
    ...{ method: 'PUT', headers: {}, accept: [200, 201, 204], key: 'member', scopes: ['own'] },
    ...more,
    ...address,
  };
  await httpStorer(whole, { client, baseUrl: `${server.base}/v1`, key: 'sk-key', headers })(what);
  return came.at(-1);
}

describe('storing by a request', () => {
  it('fills in the address, the headers and the body, and carries the key', async () => {
    const sent = await stored({
      method: 'POST',
      path: '/store/{intern}/{name}?in={scope}',
      headers: { 'X-Name': '{name} in {scope}' },
      body: { secret: { name: '{name}', values: ['{value}', 1, null, true] }, of: 'intern {intern}' },
    });
    expect(sent).toMatchObject({
      method: 'POST',
      url: '/v1/store/id-1/plumb_a?in=own',
      headers: {
        authorization: 'Bearer sk-key',
        'x-name': 'plumb_a in own',
        'content-type': 'application/json',
      },
    });
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      secret: { name: 'plumb_a', values: ['s3cret-value', 1, null, true] },
      of: 'intern id-1',
    });
  });

  it('writes each word as its place asks: encoded in an address, as JSON in JSON, plain in text', async () => {
    const odd = { ...secret, value: 'a"b\\c\n{name}&é', name: 'a/b ?#%' };
    const inJson = await stored({ body: { value: '{value}' } }, odd);
    expect(inJson?.url).toBe('/v1/store/id-1/a%2Fb%20%3F%23%25');
    expect(JSON.parse(inJson?.body ?? '')).toEqual({ value: 'a"b\\c\n{name}&é' });
    const inText = await stored({ body: 'value={value}', headers: { 'Content-Type': 'text/plain' } }, odd);
    expect([inText?.body, inText?.headers['content-type']]).toEqual(['value=a"b\\c\n{name}&é', 'text/plain']);
  });

  it('leaves other braces, and members that are no text, as they are', async () => {
    const sent = await stored({ body: { '{name}': '{other} {name}', at: { n: 1 } } });
    expect(JSON.parse(sent?.body ?? '')).toEqual({ '{name}': '{other} plumb_a', at: { n: 1 } });
  });

  it('goes to an address of its own, where the recipe names one', async () => {
    const sent = await stored({ url: `${server.base}/elsewhere/{intern}/{name}` });
    expect(sent?.url?.replace(/\/$/, '')).toBe('/elsewhere/id-1/plumb_a');
  });

  it('carries what every request carries; an Authorization of the recipe stands in place of the key', async () => {
    const all = { 'X-Staging': 'on', 'X-Both': 'of all' };
    const sent = await stored(
      { headers: { Authorization: 'Basic abc', 'X-Both': 'of the recipe' } },
      secret,
      all,
    );
    expect(sent?.headers).toMatchObject({
      authorization: 'Basic abc',
      'x-staging': 'on',
      'x-both': 'of the recipe',
    });
  });

  it('has no body where the recipe has none', async () => {
    const sent = await stored({});
    expect([sent?.body, sent?.headers['content-type']]).toEqual(['', undefined]);
  });

  it('writes nothing for the intern of the workspace', async () => {
    const sent = await stored(
      { path: '/{scope}/{intern}x/{name}' },
      { ...secret, scope: 'workspace', intern: undefined },
    );
    expect(sent?.url).toBe('/v1/workspace/x/plumb_a');
  });
});

describe('storing fails', () => {
  it.each([202, 400, 401, 302, 500])(
    'with the status %i, which the recipe does not accept',
    async (given) => {
      status = given;
      const failed = await stored({}).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(StoreError);
      const { message } = failed as StoreError;
      expect(message).toContain(`(store.http, PUT) was answered ${given} instead of 200 or 201 or 204`);
      // Neither what was sent nor what came is told: both may hold the value.
      expect(message).not.toMatch(/s3cret|sk-key/);
    },
  );

  it('and does not, where the recipe accepts that status', async () => {
    status = 409;
    await expect(stored({ accept: [409] })).resolves.toBeDefined();
  });

  it('without an answer', async () => {
    status = 0;
    await expect(stored({})).rejects.toThrow('got no answer: no answer within 0.3 s');
  });

  it('before anything is sent, where no more may be sent: room is kept to delete what is stored', async () => {
    client.close();
    client = new Client({ concurrency: 1, timeoutMs: 300, maxRequests: 3 });
    await stored({});
    const failed = await stored({}).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(CeilingReached);
    expect(came).toHaveLength(1);
  });
});
