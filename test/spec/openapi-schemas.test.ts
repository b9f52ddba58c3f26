import { describe, expect, test } from 'vitest';
import { contractFaults } from '../../spec/contract.js';
import { acceptorOf } from './fixtures/openapi-document.js';

const long = 'a'.repeat(255);

const uuidText = '0b7f8c52-6d1e-4a35-9c84-2f1f5b1f9a10';
const wrongNames = [
  '',
  '_a',
  'a_',
  'a__b',
  '__',
  '1a',
  'A',
  'aB',
  'a-b',
  'a.b',
  'a b',
  'a/b',
  'é',
  'a\n',
  '\na',
];
const wrongUuids = [`urn:uuid:${uuidText}`, `{${uuidText}}`, uuidText.replaceAll('-', ''), `${uuidText}0`];

describe.each([
  {
    schema: 'SecretName',
    good: ['a', 'z9', 'a_b', 'a_1_b', 'api_key_2', long],
    bad: [...wrongNames, `${long}a`, 7, null, [], {}],
  },
  {
    schema: 'Uuid',
    good: [uuidText, uuidText.toUpperCase(), '00000000-0000-0000-0000-000000000000'],
    bad: ['', ...wrongUuids, `${uuidText}\n`, `g${uuidText.slice(1)}`, 7, null],
  },
])('$schema', ({ schema, good, bad }) => {
  const accepts = acceptorOf('openapi', schema);

  test.each(good)('the schema accepts %j', (value) => {
    expect(accepts(value)).toBe(true);
  });

  test.each(bad.map((value) => [value]))('the schema refuses %j', (value) => {
    expect(accepts(value)).toBe(false);
  });
});

const text = 'text';
const wholeNumber = 429;
const fraction = 0.5;

/** What one member may hold and may not, null among the one or the other. */
interface MemberCase {
  member: string;
  good: unknown[];
  bad: unknown[];
}

const memberCase =
  (good: unknown[], bad: unknown[]) =>
  (member: string): MemberCase => ({ member, good, bad });
const string = memberCase(['', text], [null, 1, true, [], {}]);
const boolean = memberCase([true, false], [null, 'true', 0, [], {}]);
const number = memberCase([0, fraction, -1, 1e21], [null, '1', true, [], {}]);
const numberOrNull = memberCase([null, 0, fraction], ['1', true, [], {}]);
const objectOrNull = memberCase([null, {}, { any: 1 }], [text, 1, true, []]);
const arrayOrNull = memberCase([null, [], [text], [{ any: 1 }, null]], [text, 1, true, {}]);
const uuid = memberCase(['0b7f8c52-6d1e-4a35-9c84-2f1f5b1f9a10'], [null, text, 1, {}]);
const timestamp = memberCase(['2025-11-03T09:30:00Z'], [null, text, '2025-11-03T09:30:00+02:00', 1, {}]);
const object = memberCase([{}, { any: 1 }], [null, text, 1, true, []]);
const anything = memberCase([null, text, 1, true, [], {}], []);
const integer = memberCase([wholeNumber, 0], [null, fraction, '429', true, {}]);

/** A copy of a JSON value with the member at a dotted path set; undefined takes it away. */
function having(base: unknown, path: string, value: unknown): unknown {
  const copy = structuredClone(base);
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  const holder = steps.reduce<Record<string, unknown>>(
    (held, step) => held[step] as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}

/** The expectations of a body's schema: its members, the required ones and where others are allowed. */
interface BodyCase {
  schema: string;
  base: unknown;
  members: MemberCase[];
  required: string[];
  optional: string[];
  /** Dotted paths at which an unknown member may stand. */
  open: string[];
}

const envelope = {
  error: { code: 404, message: 'gone', metadata: { note: text } },
  service_metadata: {},
  user_id: text,
};

const guardrail = {
  id: '0b7f8c52-6d1e-4a35-9c84-2f1f5b1f9a10',
  workspace_id: '6f0c2d0e-93a4-4c0b-8a5e-7d7c1d2e3f40',
  name: text,
  description: text,
  allowed_models: null,
  allowed_providers: [text],
  ignored_models: [text],
  ignored_providers: null,
  limit_usd: 25.5,
  reset_interval: 'monthly',
  include_byok_in_budgets: false,
  enforce_zdr: null,
  enforce_zdr_acme: true,
  enforce_zdr_other: false,
  enable_free_model_publication: false,
  enable_free_model_training: false,
  enable_paid_model_training: false,
  content_filter_builtins: [{ slug: text, label: text, action: 'redact' }],
  content_filters: null,
  created_at: '2025-11-03T09:30:00Z',
  updated_at: '2025-11-03T09:30:00Z',
};

const keyInformation = {
  label: text,
  limit: 100,
  limit_reset: 'monthly',
  limit_remaining: 74.5,
  include_byok_in_limit: false,
  usage: 25.5,
  usage_daily: 0.5,
  usage_weekly: 3.25,
  usage_monthly: 12,
  byok_usage: 1.5,
  byok_usage_daily: 0,
  byok_usage_weekly: 0.5,
  byok_usage_monthly: 1,
  is_free_tier: false,
};

const chunk = {
  id: 'gen-1',
  object: 'chat.completion.chunk',
  created: 1762162200,
  model: 'acme/large',
  provider: 'acme',
  error: { code: 429, message: 'wait' },
  choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
};

const bodies: BodyCase[] = [
  {
    schema: 'ErrorEnvelope',
    base: envelope,
    members: [
      { member: 'error', good: [envelope.error], bad: [null, text, [], {}, wholeNumber] },
      integer('error.code'),
      string('error.message'),
      objectOrNull('error.metadata'),
      string('error.metadata.error_type'),
      anything('error.metadata.provider_code'),
      objectOrNull('service_metadata'),
      { member: 'user_id', good: [null, text], bad: [1, true, [], {}] },
    ],
    required: ['error', 'error.code', 'error.message'],
    optional: ['error.metadata', 'service_metadata', 'user_id'],
    open: ['', 'error.', 'error.metadata.', 'service_metadata.'],
  },
  {
    schema: 'Guardrail',
    base: guardrail,
    members: [
      uuid('id'),
      uuid('workspace_id'),
      string('name'),
      string('description'),
      arrayOrNull('allowed_models'),
      { member: 'allowed_providers', good: [null, [], [text]], bad: [text, {}, [1], [null]] },
      arrayOrNull('ignored_models'),
      arrayOrNull('ignored_providers'),
      number('limit_usd'),
      string('reset_interval'),
      boolean('include_byok_in_budgets'),
      { member: 'enforce_zdr', good: [null, true, false], bad: [text, 0, {}] },
      boolean('enforce_zdr_acme'),
      boolean('enforce_zdr_other'),
      boolean('enable_free_model_publication'),
      boolean('enable_free_model_training'),
      boolean('enable_paid_model_training'),
      {
        member: 'content_filter_builtins',
        good: [[]],
        bad: [null, {}, text, [text], [null], [{}], [{ slug: 'email', label: text }]],
      },
      string('content_filter_builtins.0.slug'),
      string('content_filter_builtins.0.label'),
      string('content_filter_builtins.0.action'),
      anything('content_filters'),
      timestamp('created_at'),
      timestamp('updated_at'),
    ],
    required: [],
    optional: Object.keys(guardrail),
    open: ['', 'content_filter_builtins.0.', 'enforce_zdr_since_'],
  },
  {
    schema: 'KeyInformation',
    base: keyInformation,
    members: [
      string('label'),
      numberOrNull('limit'),
      { member: 'limit_reset', good: [null, text], bad: [1, true, [], {}] },
      numberOrNull('limit_remaining'),
      boolean('include_byok_in_limit'),
      number('usage'),
      number('usage_daily'),
      number('usage_weekly'),
      number('usage_monthly'),
      number('byok_usage'),
      number('byok_usage_daily'),
      number('byok_usage_weekly'),
      number('byok_usage_monthly'),
      boolean('is_free_tier'),
      object('rate_limit'),
    ],
    required: Object.keys(keyInformation),
    optional: ['rate_limit'],
    open: [''],
  },
  {
    schema: 'StreamErrorChunk',
    base: chunk,
    members: [
      string('id'),
      { member: 'object', good: ['chat.completion.chunk'], bad: [null, text, '', 1] },
      integer('created'),
      string('model'),
      string('provider'),
      { member: 'error', good: [chunk.error], bad: [null, text, {}, []] },
      integer('error.code'),
      string('error.message'),
      {
        member: 'choices',
        good: [chunk.choices],
        bad: [null, {}, [], [{}], [null], [...chunk.choices, ...chunk.choices]],
      },
      integer('choices.0.index'),
      { member: 'choices.0.delta', good: [{ content: text }], bad: [null, {}, text, []] },
      string('choices.0.delta.content'),
      { member: 'choices.0.finish_reason', good: ['error'], bad: [null, 'stop', '', 1] },
    ],
    required: [
      ...Object.keys(chunk),
      'error.code',
      'error.message',
      'choices.0.index',
      'choices.0.delta',
      'choices.0.delta.content',
      'choices.0.finish_reason',
    ],
    optional: [],
    open: ['', 'error.', 'choices.0.', 'choices.0.delta.'],
  },
];

const acceptsChunk = (value: unknown) => contractFaults('StreamErrorChunk', value).length === 0;
const stringifyValue = (value: unknown): string => JSON.stringify(value);

describe.each(bodies)('$schema', ({ schema, base, members, required, optional, open }) => {
  const accepts = schema === 'StreamErrorChunk' ? acceptsChunk : acceptorOf('openapi', schema);
  const cases = members.flatMap(({ member, good, bad }) => [
    ...good.map((value) => ({ member, value, as: stringifyValue(value), accepted: true })),
    ...bad.map((value) => ({ member, value, as: stringifyValue(value), accepted: false })),
  ]);

  test('the schema accepts the base of the table', () => {
    expect(accepts(base)).toBe(true);
  });

  test.each(cases)(
    'the schema accepts the member $member as $as: $accepted',
    ({ member, value, accepted }) => {
      expect(accepts(having(base, member, value))).toBe(accepted);
    },
  );

  test('the schema requires the required members and not the optional ones', () => {
    const accepted = (member: string) => accepts(having(base, member, undefined));
    expect(required.filter(accepted)).toEqual([]);
    expect(optional.filter((member) => !accepted(member))).toEqual([]);
  });

  test.each(open)('the schema allows an unknown member at "%s"', (place) => {
    expect(accepts(having(base, `${place}unheard_of`, text))).toBe(true);
  });

  test.each([null, [], text, 1, true])('the schema refuses %j as a whole', (value) => {
    expect(accepts(value)).toBe(false);
  });
});

describe('bodies of the reads', () => {
  const reads = [
    { schema: 'GuardrailResponse', data: guardrail, wrong: { name: null } },
    { schema: 'KeyInformationResponse', data: keyInformation, wrong: {} },
  ];

  test.each(reads)('the schema $schema refuses data of another form', ({ schema, data, wrong }) => {
    const accepts = acceptorOf('openapi', schema);
    const bodies = [{ data }, { data, more: 1 }, {}, { data: null }, { data: [data] }, { data: wrong }, data];
    expect(bodies.map(accepts)).toEqual([true, true, false, false, false, false, false]);
  });
});

describe('the envelope of a platform limit (§7.4)', () => {
  const acceptsPlatform = acceptorOf('openapi', 'PlatformRateLimitEnvelope');
  const limited = (metadata: unknown) => ({ error: { code: 429, message: 'wait', metadata } });

  const platform: [unknown, boolean][] = [
    [{ error_type: 'rate_limit_exceeded' }, true],
    [{ error_type: 'rate_limit_exceeded', more: 1 }, true],
    [{ error_type: 'rate_limited' }, false],
    [{ error_type: null }, false],
    [{}, false],
    [null, false],
    [undefined, false],
  ];
  test.each(platform)('the envelope accepts the metadata %j: %j', (metadata, accepted) => {
    expect(acceptsPlatform(limited(metadata))).toBe(accepted);
  });

  test('the envelope of a platform limit requires a code', () => {
    const codeless = {
      error: { message: 'wait', metadata: { error_type: 'rate_limit_exceeded' } },
    };
    expect(acceptsPlatform(codeless)).toBe(false);
  });
});
