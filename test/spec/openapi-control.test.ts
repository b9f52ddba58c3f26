import { describe, expect, test } from 'vitest';
import { acceptorOf, listValues, readDocument } from './fixtures/openapi-document.js';

const capabilities = {
  protocol: '1',
  base_url: 'http://127.0.0.1:4010/v1',
  roles: ['member'],
  faults: ['vault_unreachable'],
  features: ['secrets'],
};
const route = { method: 'POST', path: '/chat/completions' };
const world = { id: 'w1', keys: { member: 'a-member-key' } };

interface SchemaCase {
  schema: string;
  accepted: unknown[];
  refused: unknown[];
}

const cases: SchemaCase[] = [
  {
    schema: 'Capabilities',
    accepted: [
      capabilities,
      { ...capabilities, roles: [], faults: [], features: [] },
      { ...capabilities, roles: ['time_traveller'], faults: ['moon_phase'], features: ['tea'] },
      { ...capabilities, regional_host: 'eu.vault.test' },
      { ...capabilities, regional_base_url: 'http://eu.vault.test/v1' },
      { ...capabilities, blocked_origin: 'https://blocked.test' },
      { ...capabilities, inference: route },
      { ...capabilities, inference: { ...route, free_model: 'a:free', paid_model: 'a', body: { any: [1] } } },
      { ...capabilities, later: { any: 1 } },
    ],
    refused: [
      null,
      {},
      { ...capabilities, protocol: '2' },
      { ...capabilities, protocol: 1 },
      { ...capabilities, base_url: null },
      { ...capabilities, roles: 'member' },
      { ...capabilities, faults: [1] },
      { ...capabilities, features: undefined },
      { ...capabilities, inference: null },
      { ...capabilities, blocked_origin: '' },
      { ...capabilities, blocked_origin: 'https://blocked.test\nX: y' },
      { ...capabilities, inference: { method: 'POST' } },
      { ...capabilities, inference: { ...route, path: '@elsewhere.test/' } },
      { ...capabilities, inference: { ...route, method: 'POST /x HTTP/1.1\r\n\r\n' } },
      { ...capabilities, regional_host: 'eu.test\r\nX: y' },
      { ...capabilities, roles: { length: 1e9 } },
      { ...capabilities, inference: { ...route, free_model: 'acme/tiny' } },
    ].map((value) => JSON.parse(JSON.stringify(value))),
  },
  {
    schema: 'World',
    accepted: [
      world,
      { ...world, keys: {} },
      { ...world, interns: {} },
      { ...world, interns: { foreign: 'd4e5f6a7-1b2c-4d3e-8f90-a1b2c3d4e5f6', later: 1 } },
      { ...world, workspace_id: 'x', guardrail_id: '0b7f8c52-6d1e-4a35-9c84-2f1f5b1f9a10' },
      { ...world, keys: { time_traveller: 'a-member-key' }, later: 1 },
      { ...world, id: 'w 1/é' },
      { ...world, id: '世'.repeat(200) },
    ],
    refused: [
      null,
      {},
      { id: 'w1' },
      { ...world, id: 1 },
      { ...world, id: '' },
      { ...world, id: 'a'.repeat(201) },
      ...['\0', '\n', '\u007f', '\u0085', '\u200b', '\u202e', '\ud800', '\ue000', '\ufeff'].map(
        (invisible) => ({
          ...world,
          id: `w${invisible}1`,
        }),
      ),
      { ...world, keys: ['a-member-key'] },
      { ...world, keys: { member: null } },
      { ...world, keys: { member: 'short-as-11' } },
      { ...world, keys: { member: 'a member key' } },
      { ...world, keys: { member: 'k'.repeat(4_001) } },
      { ...world, interns: { own: 7 } },
      { ...world, interns: { own: '../x' } },
      { ...world, guardrail_id: null },
      { ...world, guardrail_id: 'a/b' },
    ],
  },
  {
    schema: 'SecretList',
    accepted: [{ secrets: [] }, { secrets: [{ scope: 'own', name: 'a', later: 1 }], later: 1 }],
    refused: [null, {}, [], { secrets: null }, { secrets: [{ name: 'a' }] }, { secrets: [{ scope: 'own' }] }],
  },
  {
    schema: 'ControlError',
    accepted: [{ error: 'no such world' }, { error: '', later: 1 }],
    refused: [null, {}, { error: null }, { error: { code: 404 } }],
  },
  {
    schema: 'FreeUsage',
    accepted: [{ role: 'free_small', minute: 0, day: 49 }],
    refused: [
      { role: 'nobody', minute: 0, day: 0 },
      { role: 'free_small', minute: -1, day: 0 },
      { role: 'free_small', minute: 0.5, day: 0 },
      { role: 'free_small', minute: 0 },
    ],
  },
  {
    schema: 'Credit',
    accepted: [
      { role: 'member', balance: -0.5 },
      { role: 'member', limit_remaining: 0 },
    ],
    refused: [
      { role: 'member' },
      { role: 'nobody', balance: 1 },
      { balance: 1 },
      { role: 'member', balance: '1' },
      { role: 'member', balance: 1, limit_remaining: 1 },
    ],
  },
  {
    schema: 'Usage',
    accepted: [
      { role: 'member', records: [] },
      { role: 'member', records: [{ at: '2026-03-02T00:00:00Z', credits: 0.5, byok: 0 }] },
    ],
    refused: [
      { role: 'member' },
      { role: 'member', records: [{ at: '2026-03-02T00:00:00Z', credits: 1 }] },
      { role: 'member', records: [{ at: '2026-03-02T00:00:00Z', credits: -1, byok: 0 }] },
      { role: 'nobody', records: [] },
    ],
  },
];

describe.each(cases)('$schema', ({ schema, accepted, refused }) => {
  const accepts = acceptorOf('control', schema);

  test.each(accepted.map((value) => [value]))('the schema accepts %j', (value) => {
    expect(accepts(value)).toBe(true);
  });

  test.each(refused.map((value) => [value]))('the schema refuses %j', (value) => {
    expect(accepts(value)).toBe(false);
  });
});

describe('the words of the control protocol', () => {
  const schemas = readDocument('control').components.schemas ?? {};
  const words: [string, number, string[]][] = [
    ['FaultName', 20, ['vault_rate_limited', 'mid_stream_error', 'one_provider_limited']],
    ['RoleName', 14, ['member', 'overdrawn', 'expired_session']],
    ['ScopeName', 4, ['workspace', 'own', 'sibling', 'foreign']],
    ['FeatureName', 7, ['secrets', 'inspect', 'key_info', 'guardrail', 'free_usage', 'credit', 'usage']],
  ];

  test.each(words)('the schema %s has %i words', (schema, count, some) => {
    const listed = (schemas[schema] as { enum: string[] }).enum;
    expect(new Set(listed).size).toBe(count);
    expect(listed).toEqual(expect.arrayContaining(some));
    expect(acceptorOf('control', schema)('nonsense')).toBe(false);
  });

  test.each(words.map(([schema]) => schema))('the schema %s explains each word', (schema) => {
    const { enum: listed, description } = schemas[schema] as { enum: string[]; description: string };
    const explained = [...description.matchAll(/^- `(\w+)`: ./gm)].map(([, word]) => word);
    expect(explained).toEqual(listed);
  });
});

// What JavaScript, Python, Java and RE2 read alike: no look-around, no class by name, no escape for a character that
// is not punctuation, at most 1,000 repetitions.
const portable =
  /^(?:\(\?:|[)^$|*+?]|\{\d{1,3}(?:,\d{0,3})?\}|\[\^?(?:(?!&&|--|~~)[^[\]\\]|\\[!-/:-@[-`{-~])+\]|\\[!-/:-@[-`{-~]|[^\\[\](){}^$|*+?.])*$/;

describe('the patterns of control.yaml', () => {
  const patterns = listValues(readDocument('control')).flatMap(([path, value]) =>
    path.endsWith('/pattern') && typeof value === 'string' ? [[path, value] as const] : [],
  );

  test.each(patterns)('the pattern at %s compiles in every language', (_path, pattern) => {
    expect(pattern).toMatch(portable);
    expect(() => [new RegExp(pattern), new RegExp(pattern, 'u')]).not.toThrow();
  });

  test('control.yaml has at least seven patterns', () => {
    expect(patterns.length).toBeGreaterThanOrEqual(7);
  });
});
