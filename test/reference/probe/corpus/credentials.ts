import { PAID_MODEL } from '../../../../reference/models.js';
import { everyOperation, inference, listing, removal } from '../requests.js';
import type { HeaderLines, Script } from '../script.js';
import { eachOnToken, look, script, sent, stock } from '../steps.js';

type Credential = (key: string) => HeaderLines | undefined;

const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
const otherEnd = (key: string): string => key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x');
const otherAt = (key: string, at: number): string =>
  key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1);

const CREDENTIALS: readonly Credential[] = [
  () => undefined,
  () => '',
  () => 'Bearer',
  () => 'Bearer ',
  () => 'Bearer sk-none',
  () => `Bearer sk-${'A'.repeat(48)}`,
  () => 'Bearer null',
  () => 'Bearer undefined',
  () => 'Bearer *',
  () => `Bearer ${'x'.repeat(5000)}`,
  (key) => key,
  (key) => `bearer ${key}`,
  (key) => `BEARER ${key}`,
  (key) => `bEaReR ${key}`,
  (key) => `Bearer  ${key}`,
  (key) => `Bearer ${key} `,
  (key) => `Bearer\t${key}`,
  (key) => ` Bearer ${key}`,
  (key) => `Bearer${key}`,
  (key) => `Bearer: ${key}`,
  (key) => `Bearer=${key}`,
  (key) => `Bearer "${key}"`,
  (key) => `Bearer <${key}>`,
  (key) => `Bearer ${key},`,
  (key) => `Bearer ${key};x=1`,
  (key) => `Bearer ${key} extra`,
  (key) => `Bearer extra ${key}`,
  (key) => `Bearer Bearer ${key}`,
  (key) => `Basic ${key}`,
  (key) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
  (key) => `Basic ${Buffer.from(`:${key}`).toString('base64')}`,
  (key) => `Basic ${Buffer.from(`user:${key}`).toString('base64')}`,
  (key) => `Token ${key}`,
  (key) => `token ${key}`,
  (key) => `ApiKey ${key}`,
  (key) => `Digest ${key}`,
  (key) => `Bear ${key}`,
  (key) => `Bearers ${key}`,
  (key) => `X-Bearer ${key}`,
  (key) => `Negotiate ${key}`,
  (key) => `Bearer ${key.slice(0, -1)}`,
  (key) => `Bearer ${key.slice(0, -2)}`,
  (key) => `Bearer ${key.slice(0, 8)}`,
  (key) => `Bearer ${key.slice(0, 16)}`,
  (key) => `Bearer ${key.slice(0, 32)}`,
  (key) => `Bearer ${key.slice(1)}`,
  (key) => `Bearer ${key.slice(3)}`,
  (key) => `Bearer ${key}x`,
  (key) => `Bearer ${key}0`,
  (key) => `Bearer x${key}`,
  (key) => `Bearer ${key}${key}`,
  (key) => `Bearer ${key}%00`,
  (key) => `Bearer ${key}=`,
  (key) => `Bearer ${key}.x`,
  (key) => `Bearer ${key.toUpperCase()}`,
  (key) => `Bearer ${key.toLowerCase()}`,
  (key) => `Bearer ${swapCase(key)}`,
  (key) => `Bearer ${key.replace(/[a-z](?=[^a-z]*$)/i, swapCase)}`,
  (key) => `Bearer SK${key.slice(2)}`,
  (key) => `Bearer Sk${key.slice(2)}`,
  (key) => `Bearer ${otherEnd(key)}`,
  ...[3, 4, 8, 12, 16, 20, 24, 32, 40, 44, 48, 49].map(
    (at): Credential =>
      (key) =>
        `Bearer ${otherAt(key, at)}`,
  ),
  (key) => `Bearer ${[...key].reverse().join('')}`,
  (key) => `Bearer ${key.replace('sk-', 'sk_')}`,
  (key) => `Bearer ${encodeURIComponent(key).replace('-', '%2D')}`,
  (key) => [`Bearer ${key}`, `Bearer ${key}`],
  (key) => [`Bearer ${key}`, 'Bearer sk-none'],
  (key) => ['Bearer sk-none', `Bearer ${key}`],
  (key) => `Bearer ${key}, Bearer sk-none`,
  (key) => `Bearer sk-none, Bearer ${key}`,
];

/** Keys misspelt in every way, keys elsewhere than in the header, keys of the other world. */
export const credentialScripts: readonly Script[] = [
  script(
    'credentials',
    CREDENTIALS.flatMap((authorization) => [
      ...eachOnToken([removal('token', { authorization })]),
      ...sent(everyOperation({ authorization }).slice(1)),
    ]),
  ),
  script(
    'credentials beside another role',
    stock,
    sent(
      CREDENTIALS.flatMap((authorization) => [
        removal('token', { authorization, role: 'management' }),
        removal('token', { authorization, role: 'provisioning' }),
        listing({ authorization, role: 'disabled' }),
      ]),
    ),
    look,
  ),
  script(
    'a key elsewhere',
    stock,
    ...[
      (key: string) => ({ 'X-API-Key': key }),
      (key: string) => ({ 'Api-Key': key }),
      (key: string) => ({ 'X-Auth-Token': key }),
      (key: string) => ({ Cookie: `key=${key}; token=${key}; session=${key}` }),
      (key: string) => ({ 'Proxy-Authorization': `Bearer ${key}` }),
      (key: string) => ({ 'X-Authorization': `Bearer ${key}` }),
      (key: string) => ({ 'X-Forwarded-Authorization': `Bearer ${key}` }),
    ].map((headers) =>
      sent(everyOperation({ authorization: () => undefined, headers: (_worlds, key) => headers(key) })),
    ),
    ...['?key=sk-none', '?key=', '?api_key=sk-none', '?token=x', '?access_token=x'].map((query) =>
      sent(everyOperation({ query })),
    ),
    ...['key', 'api_key', 'apikey', 'token', 'access_token', 'auth'].map((name) =>
      sent(everyOperation({ authorization: () => undefined, query: (_worlds, key) => `?${name}=${key}` })),
    ),
    sent([
      inference(PAID_MODEL, false, { authorization: () => undefined, more: { api_key: 'sk-none' } }),
      ...everyOperation({ from: 'there' }),
    ]),
    look,
  ),
];
