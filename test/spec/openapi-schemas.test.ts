import { describe, expect, test } from 'vitest';
import { findContractFaults } from '../../spec/contract.js';
import { acceptorOf, type DocumentName } from './fixtures/openapi-document.js';
import { changeMember } from './schemas.js';

const text = 'text';
const uuidText = '0b7f8c52-6d1e-4a35-9c84-2f1f5b1f9a10';

/** What a member may hold, its usual value first, and what it may not, null among the one or the other. */
type Values = readonly [good: readonly unknown[], bad: readonly unknown[]];
const values = (...both: Values): Values => both;

const string = values([text, ''], [null, 1, true, [], {}]);
const stringOrNull = values([text, null], [1, true, [], {}]);
const boolean = values([false, true], [null, 'true', 0, [], {}]);
const number = values([0.5, 0, -1, 1e21], [null, '1', true, [], {}]);
const numberOrNull = values([0.5, 0, null], ['1', true, [], {}]);
const integer = values([429, 0], [null, 0.5, '429', true, {}]);
const object = values([{}, { any: 1 }], [null, text, 1, true, []]);
const objectOrNull = values([{}, { any: 1 }, null], [text, 1, true, []]);
const arrayOrNull = values([[text], [], [{ any: 1 }, null], null], [text, 1, true, {}]);
const uuid = values([uuidText], [null, text, 1, {}]);
const timestamp = values(['2025-11-03T09:30:00Z'], [null, text, '2025-11-03T09:30:00+02:00', 1, {}]);
const anything = values([null, text, 1, true, [], {}], []);

interface BodyCase {
  readonly document?: DocumentName;
  readonly schema: string;
  /** By their dotted paths, holders before what they hold. */
  readonly members: Readonly<Record<string, Values>>;
  readonly required: readonly string[];
  /** Dotted paths at which an unknown member may stand. */
  readonly open: readonly string[];
}

const choice = { index: 0, delta: { content: '' }, finish_reason: 'error' };
const usage = ['usage', 'usage_daily', 'usage_weekly', 'usage_monthly'];
const keyInformation: Readonly<Record<string, Values>> = {
  label: string,
  limit: numberOrNull,
  limit_reset: stringOrNull,
  limit_remaining: numberOrNull,
  include_byok_in_limit: boolean,
  ...Object.fromEntries([...usage, ...usage.map((name) => `byok_${name}`)].map((name) => [name, number])),
  is_free_tier: boolean,
};

const oddIds = [...'\0\n\u007f\u0085\u200b\u202e\ud800\ue000\ufeff'].map((sign) => `w${sign}1`);

const bodies: readonly BodyCase[] = [
  {
    schema: 'ErrorEnvelope',
    members: {
      error: [[{ code: 404, message: 'gone' }], [null, text, [], {}, 429]],
      'error.code': integer,
      'error.message': string,
      'error.metadata': objectOrNull,
      'error.metadata.error_type': string,
      'error.metadata.provider_code': anything,
      service_metadata: objectOrNull,
      user_id: stringOrNull,
    },
    required: ['error', 'error.code', 'error.message'],
    open: ['', 'error.', 'error.metadata.', 'service_metadata.'],
  },
  {
    schema: 'Guardrail',
    members: {
      id: uuid,
      workspace_id: uuid,
      name: string,
      description: string,
      allowed_models: arrayOrNull,
      allowed_providers: values([[text], [], null], [text, {}, [1], [null]]),
      ignored_models: arrayOrNull,
      ignored_providers: arrayOrNull,
      limit_usd: number,
      reset_interval: string,
      include_byok_in_budgets: boolean,
      enforce_zdr: values([null, true, false], [text, 0, {}]),
      enforce_zdr_acme: boolean,
      enforce_zdr_other: boolean,
      enable_free_model_publication: boolean,
      enable_free_model_training: boolean,
      enable_paid_model_training: boolean,
      content_filter_builtins: [
        [[{ slug: text, label: text, action: 'redact' }], []],
        [null, {}, text, [text], [null], [{}], [{ slug: 'email', label: text }]],
      ],
      'content_filter_builtins.0.slug': string,
      'content_filter_builtins.0.label': string,
      'content_filter_builtins.0.action': string,
      content_filters: anything,
      created_at: timestamp,
      updated_at: timestamp,
    },
    required: ['slug', 'label', 'action'].map((name) => `content_filter_builtins.0.${name}`),
    open: ['', 'content_filter_builtins.0.', 'enforce_zdr_since_'],
  },
  {
    schema: 'KeyInformation',
    members: { ...keyInformation, rate_limit: object },
    required: Object.keys(keyInformation),
    open: [''],
  },
  {
    schema: 'StreamErrorChunk',
    members: {
      id: string,
      object: [['chat.completion.chunk'], [null, text, '', 1]],
      created: integer,
      model: string,
      provider: string,
      error: [[{ code: 429, message: 'wait' }], [null, text, {}, []]],
      'error.code': integer,
      'error.message': string,
      choices: [[[choice]], [null, {}, [], [{}], [null], [choice, choice]]],
      'choices.0.index': integer,
      'choices.0.delta': [[{ content: text }], [null, {}, text, []]],
      'choices.0.delta.content': string,
      'choices.0.finish_reason': [['error'], [null, 'stop', '', 1]],
    },
    required: [
      ...['id', 'object', 'created', 'model', 'provider', 'error', 'choices', 'error.code', 'error.message'],
      ...['index', 'delta', 'delta.content', 'finish_reason'].map((name) => `choices.0.${name}`),
    ],
    open: ['', 'error.', 'choices.0.', 'choices.0.delta.'],
  },
  {
    document: 'control',
    schema: 'Capabilities',
    members: {
      protocol: [['1'], ['2', 1]],
      base_url: [['http://127.0.0.1:4010/v1'], [null]],
      roles: values([['member'], [], ['time_traveller']], ['member', { length: 1e9 }]),
      faults: [[['vault_unreachable'], [], ['moon_phase']], [[1]]],
      features: [[['secrets'], [], ['tea']], []],
      regional_host: [['eu.vault.test'], ['eu.test\r\nX: y']],
      regional_base_url: [['http://eu.vault.test/v1'], []],
      blocked_origin: [['https://blocked.test'], ['', 'https://blocked.test\nX: y']],
      inference: [[{ method: 'POST', path: '/chat/completions' }], [null]],
      'inference.method': [['POST'], ['POST /x HTTP/1.1\r\n\r\n']],
      'inference.path': [['/chat/completions'], ['@elsewhere.test/']],
      'inference.free_model': [['a:free'], ['acme/tiny']],
      'inference.paid_model': [['a'], []],
      'inference.body': [[{ any: [1] }], []],
    },
    required: ['protocol', 'base_url', 'roles', 'faults', 'features', 'inference.method', 'inference.path'],
    open: [''],
  },
  {
    document: 'control',
    schema: 'World',
    members: {
      id: [
        ['w1', 'w 1/é', '世'.repeat(200)],
        [1, '', 'a'.repeat(201), ...oddIds],
      ],
      keys: [[{ member: 'a-member-key' }, {}, { time_traveller: 'a-member-key' }], [['a-member-key']]],
      'keys.member': [['a-member-key'], [null, 'short-as-11', 'a member key', 'k'.repeat(4_001)]],
      interns: [[{ foreign: uuidText, later: 1 }, {}], []],
      'interns.own': [[uuidText], [7, '../x']],
      workspace_id: [['x'], []],
      guardrail_id: [[uuidText], [null, 'a/b']],
    },
    required: ['id', 'keys'],
    open: [''],
  },
  {
    document: 'control',
    schema: 'SecretList',
    members: {
      secrets: [[[{ scope: 'own', name: 'a' }], []], [null]],
      'secrets.0.scope': [['own'], []],
      'secrets.0.name': [['a'], []],
    },
    required: ['secrets', 'secrets.0.scope', 'secrets.0.name'],
    open: ['', 'secrets.0.'],
  },
  {
    document: 'control',
    schema: 'FreeUsage',
    members: { role: [['free_small'], ['nobody']], minute: [[0], [-1, 0.5]], day: [[49], []] },
    required: ['role', 'minute', 'day'],
    open: [],
  },
  {
    document: 'control',
    schema: 'Usage',
    members: {
      role: [['member'], ['nobody']],
      records: [[[{ at: '2026-03-02T00:00:00Z', credits: 1, byok: 0 }], []], []],
      'records.0.credits': [[0.5], [-1]],
      'records.0.byok': [[0], []],
    },
    required: ['role', 'records', 'records.0.credits', 'records.0.byok'],
    open: [],
  },
];

function makeBody({ members }: Pick<BodyCase, 'members'>): unknown {
  return Object.entries(members).reduce<unknown>(
    (body, [path, [[usual]]]) => changeMember(body, path, usual),
    {},
  );
}

const acceptsChunk = (value: unknown) => findContractFaults('StreamErrorChunk', value).length === 0;

describe.each(bodies)('$schema', ({ document = 'openapi', schema, members, required, open }) => {
  const accepts = schema === 'StreamErrorChunk' ? acceptsChunk : acceptorOf(document, schema);
  const body = makeBody({ members });
  const cases = Object.entries(members).flatMap(([member, [good, bad]]) =>
    [...good, ...bad].map((value, at) => ({
      ...{ member, value, as: JSON.stringify(value), accepted: at < good.length },
    })),
  );

  test.each(cases)('the schema accepts $member as $as: $accepted', ({ member, value, accepted }) => {
    expect(accepts(changeMember(body, member, value))).toBe(accepted);
  });

  test('the schema requires the required members and no others', () => {
    const missed = Object.keys(members).filter((member) => !accepts(changeMember(body, member, undefined)));
    expect(missed.sort()).toEqual([...required].sort());
  });

  test.each(open)('the schema allows an unknown member at "%s"', (place) => {
    expect(accepts(changeMember(body, `${place}unheard_of`, text))).toBe(true);
  });

  test.each([null, [], text, 1, true])('the schema refuses %j as a whole', (value) => {
    expect(accepts(value)).toBe(false);
  });
});

const dataOf = (schema: string) => makeBody(bodies.find((one) => one.schema === schema) ?? { members: {} });
const [guardrail, information] = [dataOf('Guardrail'), dataOf('KeyInformation')];
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
