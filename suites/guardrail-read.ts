import { isDeepStrictEqual } from 'node:util';
import { sameGuardrail } from '../judge/answer-rules.js';
import { type Check, check } from '../judge/check.js';
import { together } from '../judge/together.js';
import { asText, dataOf } from '../targets/exchange.js';
import { isAsSet } from './as-set.js';

// §2.1, §4.2 and §7.2: reading a guardrail.

const control = 'guardrail-read';

type Fields = Readonly<Record<string, unknown>>;

/** Sets of values that §2.1 allows, each set through the control protocol and read back. */
const settings: readonly Fields[] = [
  {
    name: 'plumbline',
    description: `Set by a conformance run. ${'Long enough that no column cuts it. '.repeat(14)}`.trim(),
    allowed_models: ['acme/large'],
    allowed_providers: ['acme', 'globex'],
    ignored_models: ['acme/tiny:free'],
    ignored_providers: ['initech'],
    limit_usd: 12.5,
    reset_interval: 'monthly',
    include_byok_in_budgets: true,
    enforce_zdr: true,
    enforce_zdr_other: true,
    enable_free_model_publication: true,
    enable_free_model_training: true,
    enable_paid_model_training: true,
    content_filter_builtins: [{ slug: 'email', label: '[EMAIL]', action: 'redact' }],
    content_filters: null,
  },
  {
    name: 'Größe & "Quotes" <b>',
    description: '',
    allowed_models: null,
    allowed_providers: null,
    ignored_models: null,
    ignored_providers: null,
    limit_usd: 0,
    include_byok_in_budgets: false,
    enforce_zdr: null,
    enforce_zdr_other: false,
    enable_free_model_publication: false,
    enable_free_model_training: false,
    enable_paid_model_training: false,
    content_filter_builtins: [],
  },
  {
    name: 'x',
    allowed_models: [],
    allowed_providers: [],
    ignored_models: [],
    ignored_providers: [],
    limit_usd: 1234567.89,
    enforce_zdr: false,
    enable_free_model_publication: true,
    enable_free_model_training: false,
    enable_paid_model_training: true,
    created_at: '2025-02-03T04:05:06.789Z',
  },
];

/** The checks of §2.1, §4.2 and §7.2. */
export const guardrailReadChecks: readonly Check[] = [
  check('guardrail-read.200.read', { control, isControl: true }, async ({ api }) => {
    await api.readGuardrail().answers(200);
  }),
  check('guardrail-read.200.same-id', { control }, async ({ world, api }) => {
    const call = api.readGuardrail();
    const exchange = await call.holds(200);
    call.judges(exchange, 'guardrail-read.200.same-id', sameGuardrail(exchange, world.guardrailId()));
  }),
  check('guardrail-read.200.same-workspace', { control }, async ({ world, api }) => {
    const call = api.readGuardrail();
    const exchange = await call.holds(200);
    const { workspace_id: owner } = dataOf(exchange);
    call.judges(exchange, 'guardrail-read.200.same-workspace', {
      holds:
        owner === undefined ||
        world.workspaceId === undefined ||
        asText(owner).toLowerCase() === world.workspaceId.toLowerCase(),
      expected: `data.workspace_id ${world.workspaceId}`,
      actual: asText(owner),
    });
  }),
  check(
    'guardrail-read.200.values',
    { control, altersWorld: 'settings' },
    async ({ world, api, openWorld }) => {
      const other = await openWorld();
      for (const [at, fields] of settings.entries()) {
        await world.setGuardrail(fields);
        await other.world.setGuardrail(settings[(at + 1) % settings.length] ?? {});
        const call = api.readGuardrail();
        const exchange = await call.holds(200);
        const data = dataOf(exchange);
        const wrong = Object.keys(fields).filter(
          (name) => name in data && !isAsSet(name, fields[name], data[name]),
        );
        call.judges(exchange, 'guardrail-read.200.values', {
          holds: wrong.length === 0,
          expected: wrong.map((name) => `${name} ${JSON.stringify(fields[name])}`).join(', '),
          actual: wrong.map((name) => `${name} ${JSON.stringify(data[name])}`).join(', '),
        });
      }
    },
  ),
  check('guardrail-read.management-key-only/at-once', { control }, async ({ api }) => {
    for (const _round of ['first', 'second', 'third'])
      await together([
        api.readGuardrail().holds(200),
        api.readGuardrail({ as: 'member' }).answers([401, 403, 404], { because: 'it is no management key' }),
      ]);
  }),
  check('guardrail-read.200.changes-nothing', { control }, async ({ api }) => {
    const before = dataOf(await api.readGuardrail().holds(200));
    const call = api.readGuardrail();
    const exchange = await call.holds(200);
    const after = dataOf(exchange);
    const documented = Object.keys(settings[0] ?? {}).concat(
      'id',
      'workspace_id',
      'created_at',
      'updated_at',
    );
    const changed = documented.filter((name) => !isDeepStrictEqual(before[name], after[name]));
    call.judges(exchange, 'guardrail-read.200.changes-nothing', {
      holds: changed.length === 0,
      expected: changed.map((name) => `${name} ${JSON.stringify(before[name])}`).join(', '),
      actual: changed.map((name) => `${name} ${JSON.stringify(after[name])}`).join(', '),
    });
  }),
  check('guardrail-read.404.other-workspace', { control }, async ({ api, openWorld }) => {
    const other = await openWorld();
    const id = { label: "another workspace's guardrail", raw: other.world.guardrailId() };
    await other.api.readGuardrail().holds(200);
    await api.readGuardrail({ id }).answers([403, 404], { because: 'the key selects another workspace' });
    await api.readGuardrail().holds(200);
  }),
  check('guardrail-read.500.internal', { control }, async ({ world, api }) => {
    await world.setFaults('guardrail_internal_error');
    await api.readGuardrail().answers(500);
    await world.setFaults();
    await api.readGuardrail().holds(200);
  }),
];
