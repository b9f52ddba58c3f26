import { FREE_MODEL, PAID_MODEL } from '../../../../reference/models.js';
import { type Extra, guardrailRead, inference, keyRead, own, removal, request } from '../requests.js';
import type { Request, Script } from '../script.js';
import { eachOnToken, freeUsage, later, look, script, sent, stock, stored } from '../steps.js';

const noKey = (): undefined => undefined;
const half = (key: string): number => Math.floor(key.length / 2);

// As a client, a script or a proxy breaks them.
const BROKEN: readonly ((key: string) => string)[] = [
  () => 'Bearer undefined',
  () => 'Bearer null',
  (key) => `Bearer ${key},x`,
  (key) => `Bearer ${key.slice(0, half(key))} ${key.slice(half(key))}`,
  (key) => `Bearer ${key.replace('-', '%2D')}`,
  (key) => `Bearer ${Buffer.from(key).toString('base64')}`,
  (key) => `Basic dTpw, Bearer ${key}`,
];

const onToken = (method: string, headers: Record<string, string>): Request =>
  request(method, (worlds) => `/v1/vault/interns/${own(worlds)}/secrets/token`, 'member', { headers });
const forwarded: Extra = { authorization: noKey, headers: { 'X-Forwarded-For': '127.0.0.1' } };

/** What proxies, clients and connections put between two requests. */
export const intermediaryScripts: readonly Script[] = [
  script(
    'broken credentials',
    sent(
      BROKEN.flatMap((authorization) => [
        keyRead({ authorization }),
        inference(PAID_MODEL, false, { authorization }),
      ]),
    ),
    eachOnToken(BROKEN.map((authorization) => removal('token', { authorization }))),
  ),
  script(
    'headers of proxies',
    stock,
    eachOnToken([
      onToken('GET', { 'X-HTTP-Method-Override': 'DELETE' }),
      onToken('DELETE', { 'X-HTTP-Method-Override': 'GET' }),
      removal('token', { role: 'write_disabled', headers: { 'X-HTTP-Method-Override': 'GET' } }),
      onToken('DELETE', { Host: 'eu.vault.test', 'X-Forwarded-Host': 'vault.test' }),
      onToken('DELETE', { 'X-Forwarded-Host': 'vault.test' }),
      onToken('DELETE', { 'X-Original-URL': '/v1/vault/interns/x/secrets/tok' }),
      removal('token', forwarded),
    ]),
    sent([keyRead({ authorization: noKey, headers: { 'X-Original-URL': '/health' } })]),
    freeUsage('free_small', 20, 20),
    sent([inference(FREE_MODEL, false, { role: 'free_small', headers: { 'X-Forwarded-For': '10.0.0.1' } })]),
  ),
  script(
    'one connection',
    stored('own', 'token'),
    sent([
      keyRead({ headers: { Connection: 'close' } }),
      keyRead({ role: 'management' }),
      keyRead({ authorization: noKey }),
      removal('token', { headers: { Host: 'eu.vault.test' } }),
      removal('token', { authorization: () => 'Bearer sk-none' }),
      ...Array.from({ length: 70 }, () => keyRead()),
    ]),
  ),
  script(
    'soon after',
    stored('own', 'token'),
    sent([
      guardrailRead(),
      guardrailRead({ role: 'member' }),
      removal('token', { role: 'outsider' }),
      removal('token', { role: 'outsider' }),
      keyRead({ authorization: (key) => `Bearer ${key}x` }),
      keyRead(),
    ]),
    look,
  ),
  script(
    'different keys at once',
    later(60),
    freeUsage('free_small', 18, 18),
    {
      do: 'together',
      requests: [keyRead(), keyRead({ role: 'management' }), keyRead({ role: 'free_large' })],
    },
    { do: 'together', requests: [guardrailRead(), guardrailRead({ role: 'member' })] },
    {
      do: 'together',
      requests: Array.from({ length: 6 }, () => inference(FREE_MODEL, false, { role: 'free_small' })),
    },
  ),
];
