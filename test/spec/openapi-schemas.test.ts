import { expect, test } from 'vitest';
import { findContractFaults } from '../../spec/contract.js';
import { acceptorOf, type DocumentName } from './fixtures/openapi-document.js';
import { changeMember, listMembers } from './schemas.js';

const uuidText = '0b7f8c52-6d1e-4a35-9c84-2f1f5b1f9a10';

/** Values to try for each member, by its dotted path. */
type Changes = Readonly<Record<string, readonly unknown[]>>;

/** A valid body, its required members, and what may and may not stand in a member beyond what its type says. */
interface BodyCase {
  readonly document?: DocumentName;
  readonly schema: string;
  readonly body: object;
  readonly required: readonly string[];
  readonly accepted: Changes;
  readonly refused: Changes;
}

const guardrail = {
  ...{ id: uuidText, workspace_id: uuidText, name: '', description: '', limit_usd: 0.5, reset_interval: 'x' },
  ...{ allowed_models: ['a'], allowed_providers: ['a'], ignored_models: null, ignored_providers: null },
  ...{ include_byok_in_budgets: true, enforce_zdr: null, enforce_zdr_acme: true, enforce_zdr_other: false },
  enable_free_model_publication: false,
  enable_free_model_training: false,
  enable_paid_model_training: false,
  content_filter_builtins: [{ slug: 'email', label: 'E-mail', action: 'redact' }],
  ...{ content_filters: null, created_at: '2025-11-03T09:30:00Z', updated_at: '2025-11-03T09:30:00Z' },
};
const information = {
  ...{ label: '', limit: null, limit_reset: null, limit_remaining: null, include_byok_in_limit: true },
  ...{ usage: 0, usage_daily: 0.5, usage_weekly: 1, usage_monthly: -1, is_free_tier: false },
  ...{ byok_usage: 0, byok_usage_daily: 0, byok_usage_weekly: 0, byok_usage_monthly: 1e21 },
};
const choice = { index: 0, delta: { content: '' }, finish_reason: 'error' };
const oddIds = [...'\0\n\u007f\u0085\u200b\u202e\ud800\ue000\ufeff'].map((sign) => `w${sign}1`);

const bodies: readonly BodyCase[] = [
  {
    schema: 'ErrorEnvelope',
    body: {
      error: { code: 404, message: '', metadata: { error_type: '' } },
      service_metadata: {},
      user_id: '',
    },
    required: ['error', 'error.code', 'error.message'],
    accepted: {
      'error.more': [1],
      'error.metadata': [null, {}],
      'error.metadata.provider_code': [null, 1, '', {}],
      'error.metadata.more': [1],
      service_metadata: [null, { any: 1 }],
      user_id: [null],
    },
    refused: {
      error: [null, '', [], {}],
      'error.code': [null, 0.5, '404'],
      'error.message': [null, 1],
      'error.metadata': ['', []],
      'error.metadata.error_type': [null, 1],
      service_metadata: [[]],
      user_id: [1],
    },
  },
  {
    schema: 'Guardrail',
    body: guardrail,
    required: ['slug', 'label', 'action'].map((name) => `content_filter_builtins.0.${name}`),
    accepted: {
      allowed_models: [null, [], [{ any: 1 }, null]],
      allowed_providers: [null, []],
      enforce_zdr: [true],
      enforce_zdr_since_more: [1],
      content_filter_builtins: [[]],
      'content_filter_builtins.0.more': [1],
      content_filters: [1, '', {}],
    },
    refused: {
      id: [null, 'text'],
      name: [null],
      limit_usd: [null, '1'],
      allowed_providers: ['', [1], [null]],
      ignored_models: [{}],
      enforce_zdr_acme: [null, 'true'],
      content_filter_builtins: [null, {}, ['text'], [null]],
      created_at: [null, 'text', '2025-11-03T09:30:00+02:00'],
    },
  },
  {
    schema: 'KeyInformation',
    body: information,
    required: Object.keys(information),
    accepted: { limit: [0.5], limit_reset: ['x'], limit_remaining: [-1], rate_limit: [{}, { any: 1 }] },
    refused: {
      label: [null],
      limit: ['1'],
      usage: [null, '1'],
      is_free_tier: [null, 0],
      rate_limit: [null, []],
    },
  },
  {
    schema: 'StreamErrorChunk',
    body: {
      ...{ id: '', object: 'chat.completion.chunk', created: 1, model: '', provider: '' },
      ...{ error: { code: 429, message: '' }, choices: [choice] },
    },
    required: [
      ...['id', 'object', 'created', 'model', 'provider', 'error', 'choices', 'error.code', 'error.message'],
      ...['index', 'delta', 'delta.content', 'finish_reason'].map((name) => `choices.0.${name}`),
    ],
    accepted: { 'error.more': [1], 'choices.0.more': [1], 'choices.0.delta.more': [1] },
    refused: {
      object: [null, ''],
      created: [0.5],
      error: [null, {}],
      choices: [null, [], [null], [choice, choice]],
      'choices.0.finish_reason': [null, 'stop'],
    },
  },
  {
    document: 'control',
    schema: 'Capabilities',
    body: {
      ...{ protocol: '1', base_url: 'http://127.0.0.1:4010/v1', roles: ['member'], features: ['secrets'] },
      ...{ faults: [], regional_host: 'eu.vault.test', blocked_origin: 'https://blocked.test' },
      inference: { method: 'POST', path: '/chat/completions', free_model: 'a:free', body: { any: [1] } },
    },
    required: ['protocol', 'base_url', 'roles', 'faults', 'features', 'inference.method', 'inference.path'],
    accepted: { roles: [['time_traveller']], faults: [['moon_phase']], features: [['tea']] },
    refused: {
      protocol: ['2', 1],
      roles: ['member', { length: 1e9 }],
      faults: [[1]],
      regional_host: ['eu.test\r\nX: y'],
      blocked_origin: ['', 'https://blocked.test\nX: y'],
      inference: [null],
      'inference.method': ['POST /x HTTP/1.1\r\n\r\n'],
      'inference.path': ['@elsewhere.test/'],
      'inference.free_model': ['acme/tiny'],
    },
  },
  {
    document: 'control',
    schema: 'World',
    body: { id: 'w1', keys: { member: 'a-member-key' }, interns: { own: uuidText }, guardrail_id: uuidText },
    required: ['id', 'keys'],
    accepted: {
      id: ['w 1/é', '世'.repeat(200)],
      keys: [{}],
      'keys.later': ['a-member-key'],
      'interns.later': [1],
    },
    refused: {
      id: [1, '', 'a'.repeat(201), ...oddIds],
      keys: [['a-member-key']],
      'keys.member': [null, 'short-as-11', 'a member key', 'k'.repeat(4_001)],
      'interns.own': [7, '../x'],
      guardrail_id: [null, 'a/b'],
    },
  },
  {
    document: 'control',
    schema: 'FreeUsage',
    body: { role: 'free_small', minute: 0, day: 49 },
    required: ['role', 'minute', 'day'],
    accepted: {},
    refused: { role: ['nobody'], minute: [-1, 0.5] },
  },
  {
    document: 'control',
    schema: 'Usage',
    body: { role: 'member', records: [{ at: '2026-03-02T00:00:00Z', credits: 0.5, byok: 0 }] },
    required: ['role', 'records', ...['at', 'credits', 'byok'].map((name) => `records.0.${name}`)],
    accepted: { records: [[]] },
    refused: { role: ['nobody'], 'records.0.credits': [-1] },
  },
];

const acceptsChunk = (value: unknown) => findContractFaults('StreamErrorChunk', value).length === 0;

test.each(bodies)('the schema $schema decides each member of a body', (one) => {
  const { document = 'openapi', schema, body, required } = one;
  const accepts = schema === 'StreamErrorChunk' ? acceptsChunk : acceptorOf(document, schema);
  const sort = (changes: Changes) =>
    Object.entries(changes).flatMap(([path, values]) =>
      values.map((value) => ({ path, value, isAccepted: accepts(changeMember(body, path, value)) })),
    );
  expect(sort({ ...one.accepted, more: [1] }).filter(({ isAccepted }) => !isAccepted)).toEqual([]);
  expect(sort(one.refused).filter(({ isAccepted }) => isAccepted)).toEqual([]);
  const missed = listMembers(body).filter((path) => !accepts(changeMember(body, path, undefined)));
  expect(missed.sort()).toEqual([...required].sort());
  expect([null, [], '', 1].filter(accepts)).toEqual([]);
});

const names = ['a', 'z9', 'a_b', 'a_1_b', 'api_key_2', 'a'.repeat(255)];
const oddNames = ['', '_a', 'a_', 'a__b', '1a', 'A', 'a-b', 'a.b', 'a b', 'a/b', 'é', 'a\n', '\na'];
const wrongNames = [...oddNames, 'a'.repeat(256), 7, null, [], {}];
const uuids = [uuidText, uuidText.toUpperCase(), '00000000-0000-0000-0000-000000000000'];
const oddUuids = [`urn:uuid:${uuidText}`, `{${uuidText}}`, uuidText.replaceAll('-', ''), `${uuidText}0`];
const wrongUuids = ['', ...oddUuids, `${uuidText}\n`, `g${uuidText.slice(1)}`, 7, null];
const wrap = (data: unknown) => [{ data }, { data, more: 1 }];
const wrapWrongly = (data: unknown, wrong: object) => [
  {},
  ...[null, [data], wrong].map((one) => ({ data: one })),
  data,
];
const limited = (metadata: unknown) => ({ error: { code: 429, message: 'wait', metadata } });
const platform = { error_type: 'rate_limit_exceeded' };
const wrongLimits = [{ error_type: 'rate_limited' }, { error_type: null }, {}, null, undefined].map(limited);
const noCode = { error: { message: 'no code', metadata: platform } };
const role = 'member';
const wrongCredits = [{ role }, { role: 'nobody', balance: 1 }, { balance: 1 }, { role, balance: '1' }];
const twoCredits = { role, balance: 1, limit_remaining: 1 };

test.each<[schema: string, good: readonly unknown[], bad: readonly unknown[], document?: DocumentName]>([
  ['SecretName', names, wrongNames],
  ['Uuid', uuids, wrongUuids],
  ['GuardrailResponse', wrap(guardrail), wrapWrongly(guardrail, { name: null })],
  ['KeyInformationResponse', wrap(information), wrapWrongly(information, {})],
  ['PlatformRateLimitEnvelope', [platform, { ...platform, more: 1 }].map(limited), [...wrongLimits, noCode]],
  [
    'Credit',
    [{ balance: -0.5 }, { limit_remaining: 0 }].map((one) => ({ role, ...one })),
    [...wrongCredits, twoCredits],
    'control',
  ],
  ['ControlError', [{ error: 'x' }, { error: '', more: 1 }], [{}, { error: null }, { error: {} }], 'control'],
])('the schema %s accepts valid values and refuses others', (schema, good, bad, document = 'openapi') => {
  const accepts = acceptorOf(document, schema);
  expect(good.filter((value) => !accepts(value))).toEqual([]);
  expect(bad.filter(accepts)).toEqual([]);
});
