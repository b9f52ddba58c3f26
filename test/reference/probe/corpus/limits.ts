import { FREE_MODEL, PAID_MODEL } from '../../../../reference/models.js';
import type { Role } from '../../../../reference/vocabulary.js';
import { type Extra, guardrailRead, inference, inferenceBody, keyRead, removal } from '../requests.js';
import type { Request, Script } from '../script.js';
import { freeUsage, later, script, sent } from '../steps.js';

function free(role: Role, extra: Extra = {}): Request {
  return inference(FREE_MODEL, false, { role, ...extra });
}

function paid(role: Role): Request {
  return inference(PAID_MODEL, false, { role });
}

function others(role: Role): readonly Request[] {
  return [inference(FREE_MODEL, true, { role }), inference(PAID_MODEL, true, { role }), paid(role)];
}

function many(count: number, request: Request): readonly Request[] {
  return Array.from({ length: count }, () => request);
}

const USERS: readonly Role[] = ['free_small', 'free_large', 'member', 'exhausted', 'overdrawn'];

/** The limits of free models (§8.2), at and beside their edges, and what else is asked for meanwhile. */
export const limitScripts: readonly Script[] = [
  script(
    'free requests in a row',
    sent(many(45, free('free_small'))),
    sent([keyRead({ role: 'free_small' })]),
  ),
  script(
    'free requests of a large account',
    sent(many(25, free('free_large'))),
    sent([paid('free_large'), free('free_large', { from: 'there' }), free('free_small')]),
  ),
  script(
    'streamed free requests',
    sent(many(22, inference(FREE_MODEL, true, { role: 'free_small' }))),
    sent([free('free_small'), paid('free_small')]),
  ),
  ...USERS.map((role) =>
    script(
      `the edges of ${role}`,
      [0, 1, 9, 10, 17, 18, 19, 20, 21, 25, 39, 40, 100].flatMap((minute) => [
        freeUsage(role, minute, minute),
        ...sent([free(role), free(role), ...others(role)]),
      ]),
      [
        9, 10, 47, 48, 49, 50, 51, 99, 100, 198, 199, 200, 499, 500, 501, 997, 998, 999, 1000, 1001, 5000,
      ].flatMap((day) => [freeUsage(role, 0, day), ...sent([free(role), free(role), ...others(role)])]),
      freeUsage(role, 20, 1000),
      sent([
        keyRead({ role }),
        removal('absent', { role }),
        guardrailRead(),
        free('management'),
        free('write_disabled'),
        free(role, { from: 'there' }),
        inference('acme/unknown', false, { role }),
        inferenceBody({ role, body: '{' }),
      ]),
    ),
  ),
  script(
    'a minute passes',
    freeUsage('free_small', 20, 20),
    [0, 10, 10, 10, 15, 14, 1, 1].flatMap((seconds) => [later(seconds), ...sent([free('free_small')])]),
    sent(many(20, free('free_small'))),
    [5, 25, 29, 1, 1].flatMap((seconds) => [later(seconds), ...sent(many(3, free('free_small')))]),
  ),
  script(
    'a minute fills slowly',
    Array.from({ length: 24 }, () => [later(3), ...sent([free('member')])]).flat(),
    later(61),
    sent(many(21, free('member'))),
  ),
  script(
    'a day passes',
    freeUsage('free_small', 0, 50),
    freeUsage('free_large', 0, 1000),
    [0, 61, 600, 300, 3600, 43_200, 43_200].flatMap((seconds) => [
      later(seconds),
      ...sent([free('free_small'), free('free_large')]),
    ]),
  ),
  script(
    'paid requests in a row',
    sent(many(70, paid('member'))),
    sent([free('member'), paid('free_small')]),
  ),
  script(
    'paid and free by turns',
    sent(Array.from({ length: 24 }, () => [paid('free_large'), free('free_large')]).flat()),
  ),
  script(
    'several keys at the limit',
    freeUsage('member', 20, 20),
    sent([
      free('member'),
      free('exhausted'),
      free('unscoped'),
      free('outsider'),
      free('member', { from: 'there' }),
    ]),
    freeUsage('member', 0, 0),
    sent(many(21, free('unscoped'))),
    sent(many(21, free('outsider'))),
    sent([free('member'), free('free_small')]),
  ),
  script(
    'models',
    sent(
      [
        'acme/tiny',
        'acme/large:free',
        'acme/tiny:FREE',
        'acme/tiny:free ',
        'acme/tiny:free:paid',
        'ACME/TINY:FREE',
        'Acme/large',
        'acme/large ',
        'acme/unknown',
        'acme/unknown:free',
        ':free',
        '',
        'large',
        'free',
      ].flatMap((model) => [inference(model, false), inference(model, true)]),
    ),
    sent(
      [
        '',
        '{',
        '{}',
        '[]',
        'null',
        '"x"',
        '{"model":1}',
        '{"model":null}',
        '{"stream":true}',
        `{"model":"${PAID_MODEL}"}`,
        `{"model":"${PAID_MODEL}","stream":null}`,
        `{"model":"${PAID_MODEL}","stream":"true"}`,
        `{"model":"${PAID_MODEL}","stream":1}`,
        `{"model":"${PAID_MODEL}","messages":[]}`,
        `{"model":"${PAID_MODEL}","messages":"x"}`,
        `{"model":"${PAID_MODEL}","max_tokens":1,"temperature":0.5,"user":"u"}`,
        `{"model":"${PAID_MODEL}","stream":true,"stream_options":{"include_usage":true}}`,
        `{"model":"${PAID_MODEL}","models":["${FREE_MODEL}"]}`,
        `{"model":"${PAID_MODEL}","model":"${FREE_MODEL}"}`,
        JSON.stringify({ model: PAID_MODEL, messages: [{ role: 'user', content: 'y'.repeat(50_000) }] }),
      ].map((body) => inferenceBody({ body })),
    ),
    sent([
      inferenceBody({ body: `{"model":"${PAID_MODEL}"}`, headers: { 'Content-Type': 'text/plain' } }),
      inference(PAID_MODEL, false, { authorization: () => undefined }),
    ]),
  ),
];
