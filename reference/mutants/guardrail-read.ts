import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type MutantRows, plain, subtle, tabulateAlike, tabulateFields } from '../mutant.js';
import {
  dropGate,
  editAnswer,
  editBody,
  editFaults,
  editGate,
  editGuardrail,
  type Mutation,
  refuseLast,
  remember,
  setHeaders,
  setStatus,
  type When,
} from '../mutation.js';
import { isUuid } from '../vault.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';
import { announcesBody } from '../wire.js';
import {
  as,
  during,
  encodedId,
  inLowerCaseScheme,
  onRegionalHost,
  queryOf,
  selectWorkspace,
  withoutKey,
  withQuery,
} from './conditions.js';
import { passBySlash } from './vault-mutations.js';

/** An id that nothing in any world has. */
const ANOTHER_ID = '6f0c1d2e-3a4b-4c5d-8e6f-7a8b9c0d1e2f';

const HOUR_MS = 3_600_000;

// Whether a provisioning key can be a management key too is open.
const isOrdinary: When = ({ key }) => key?.traits.kind === 'api';
const toIso = (moment: unknown): string => new Date(String(moment)).toISOString();
const toWeekYear = (moment: unknown): string => {
  const date = new Date(String(moment));
  // The Thursday of its week, since weeks begin on Monday.
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 24 * HOUR_MS);
  return `${thursday.getUTCFullYear()}${date.toISOString().slice(4)}`;
};
const toLeapDay = (moment: unknown): string => `2025-02-29${toIso(moment).slice(10)}`;
const toEast = (moment: unknown): string =>
  new Date(Date.parse(String(moment)) + 2 * HOUR_MS).toISOString().replace('Z', '+02:00');
const ofList = (change: (list: readonly unknown[]) => unknown) => (value: unknown) =>
  Array.isArray(value) ? change(value) : value;
const toObjects = ofList((list) => list.map((slug) => ({ slug })));
const toText = ofList((list) => list.join(','));
const toLowerCase = ofList((list) => list.map((slug) => String(slug).toLowerCase()));
const cutLongList = ofList((list) => list.slice(0, 100));
const emptyToNull = ofList((list) => (list.length === 0 ? null : list));
/** Leaves elements out as PHP's array_filter does: the rest keep their indexes, so that JSON gets an object, not a list. */
const leaveOut = (isLeftOut: (one: unknown, at: number, list: readonly unknown[]) => boolean) =>
  ofList((list) =>
    list.some(isLeftOut) ? { ...list.map((one, at) => (isLeftOut(one, at, list) ? undefined : one)) } : list,
  );
const withoutRepeated = leaveOut((one, at, list) => list.indexOf(one) < at);
const withoutEmpty = leaveOut((one) => one === '');
const withoutZero = leaveOut((one) => one === '0');
const toMs = (moment: unknown): number => Date.parse(String(moment));
const toSecondsOf32Bits = (moment: unknown): string =>
  new Date((Math.trunc(toMs(moment) / 1_000) | 0) * 1_000).toISOString();
const slugToNumber = ofList((filters) =>
  filters.map((filter) => (isJsonObject(filter) ? { ...filter, slug: 17 } : filter)),
);
const cut = (text: unknown): string => String(text).slice(0, 32);
const replaceIn = (part: string | RegExp, by: string) => (text: unknown) =>
  typeof text === 'string' ? text.replaceAll(part, by) : text;
const compose = (name: unknown): string => String(name).normalize('NFC');
const belowToZero = (limit: unknown): number => Math.max(0, Number(limit));
const dropInvisible = (text: unknown): string => String(text).replace(/\p{Cf}/gu, '');

/** Mutants of the area guardrail-read: the answer as a whole, then fields of another type or value than §2.1 says. */
export const guardrailReadMutants: MutantRows = {
  'guardrail-read.slash-by-ordinary-key': subtle('guardrail-read.management-key-only')(
    'With a slash at its end, an ordinary key reads it',
    passBySlash('guardrail-read', 'management-key'),
  ),
  'guardrail-read.data-missing': everyday.plain('guardrail-read.200.data')(
    'The guardrail is in a member named guardrail, and there is no data',
    editBody({ operation: 'guardrail-read', status: 200 }, ({ data }) => ({ guardrail: data })),
  ),
  'guardrail-read.media-type-plain': plain('guardrail-read.200.data')(
    'The guardrail comes as text/plain',
    setHeaders({ operation: 'guardrail-read', status: 200 }, { 'Content-Type': 'text/plain; charset=utf-8' }),
  ),
  'guardrail-read.data-wrapped': plain('guardrail-read.200.data')(
    'The data holds the guardrail in a member of its own',
    editBody({ operation: 'guardrail-read', status: 200 }, ({ data }) => ({ data: { guardrail: data } })),
  ),
  'guardrail-read.media-type-missing': plain('guardrail-read.200.data')(
    'The guardrail comes without a media type',
    setHeaders({ operation: 'guardrail-read', status: 200 }, { 'Content-Type': undefined }),
  ),
  'guardrail-read.read-204': everyday.plain('guardrail-read.200.read')(
    'A read gets 204 and no body',
    editAnswer({ operation: 'guardrail-read', status: 200 }, () => ({ status: 204, headers: {} })),
  ),
  'guardrail-read.unknown-as-own': everyday.plain('guardrail-read.404.unknown')(
    "An unknown id gets the guardrail of the key's workspace",
    alsoFind(isUuid),
  ),
  'guardrail-read.unknown-in-upper-case-as-own': subtle('guardrail-read.404.unknown')(
    "An unknown id in upper case gets the guardrail of the key's workspace",
    alsoFind((id) => isUuid(id) && /[A-F]/.test(id)),
  ),
  'guardrail-read.by-workspace-id': subtle('guardrail-read.404.unknown')(
    'The id of a workspace gets the guardrail of that workspace',
    alsoFind((id, { workspace_id }) => id.toLowerCase() === workspace_id),
  ),
  'guardrail-read.other-workspace-401': everyday.plain('guardrail-read.404.other-workspace')(
    "Another workspace's guardrail gets 401, though the key is known",
    setForeignGuardrailStatus(401),
  ),
  'guardrail-read.other-workspace-served': everyday.plain('guardrail-read.404.other-workspace')(
    'A management key reads the guardrail of another workspace',
    { findGuardrail: (call) => (call.key === undefined ? undefined : findAnyGuardrail(call)) },
  ),
  ...tabulateAlike('guardrail-read', subtle('guardrail-read.404.malformed-id'), alsoFind, [
    ['default-finds-it', 'The word default gets the guardrail that there is', (id) => id === 'default'],
    ['by-name', 'The name of a guardrail gets it too', (id, { name }) => id === name],
    ['json-suffix', 'An id may end in .json', (id, { id: own }) => id === `${String(own)}.json`],
  ]),
  'guardrail-read.long-id-500': subtle('guardrail-read.404.malformed-id')(
    'An id of more than 100 characters gets 500',
    setNotFoundStatus(500, ({ length }) => length > 100),
  ),
  'guardrail-read.malformed-id-500': everyday.plain('guardrail-read.404.malformed-id')(
    'An id that is not a UUID gets 500',
    setNotFoundStatus(500, (id) => !isUuid(id)),
  ),
  'guardrail-read.missing-key-403': everyday.plain('guardrail-read.401.missing-key')(
    'A read without authentication gets 403',
    setStatus({ operation: 'guardrail-read', status: 401, when: withoutKey }, 403),
  ),
  'guardrail-read.ordinary-key-served': everyday.plain('guardrail-read.management-key-only')(
    'A key that is not a management key reads the guardrail',
    dropGate('guardrail-read', 'management-key', isOrdinary),
  ),
  'guardrail-read.internal-error-502': everyday.plain('guardrail-read.500.internal')(
    'An internal error gets 502',
    editFaults({ guardrail_internal_error: { status: 502 } }),
  ),
  'guardrail-read.down-with-models': subtle('guardrail-read.200.read')(
    'A guardrail read gets 503 while the chosen model is down',
    refuseLast('guardrail-read', 503, during('model_down')),
  ),
  'guardrail-read.without-a-list-500': subtle('guardrail-read.200.read')(
    'The read of a guardrail without a list of allowed models leads to 500',
    refuseLast('guardrail-read', 500, ({ key }) => key?.world.guardrail.allowed_models === null),
  ),
  'guardrail-read.query-500': everyday.plain('guardrail-read.200.query-and-body')(
    'A query string leads to 500',
    refuseLast('guardrail-read', 500, withQuery),
  ),
  'guardrail-read.misencoded-query-500': subtle('guardrail-read.200.query-and-body')(
    'Malformed percent-encoding in a query leads to 500',
    refuseLast('guardrail-read', 500, ({ path }) => /[?].*%(?![\da-f]{2})/i.test(path)),
  ),
  'guardrail-read.id-of-the-query-wins': subtle('guardrail-read.200.query-and-body')(
    'An id in the query is read in place of that in the path',
    {
      findGuardrail: (call) => {
        const { id = '' } = call.parameters;
        return conforming.findGuardrail({ ...call, parameters: { id: queryOf(call).get('id') ?? id } });
      },
    },
  ),
  'guardrail-read.cookie-401': subtle('guardrail-read.200.read')(
    'A request with a cookie is taken for one of a browser whose session is unknown, and gets 401',
    refuseLast('guardrail-read', 401, ({ headers }) => headers.cookie !== undefined),
  ),
  'guardrail-read.second-key-served': subtle('guardrail-read.management-key-only')(
    'The second key of an account reads the guardrail',
    dropGate('guardrail-read', 'management-key', as('free_small_second')),
  ),
  'guardrail-read.anybody-on-regional-host': subtle('guardrail-read.management-key-only')(
    'On the regional hostname any key reads guardrails',
    dropGate('guardrail-read', 'management-key', onRegionalHost),
  ),
  'guardrail-read.encoded-id-by-ordinary-key': subtle('guardrail-read.management-key-only')(
    'A guardrail whose id has an encoded character in the path is read with any key',
    dropGate('guardrail-read', 'management-key', encodedId),
  ),
  'guardrail-read.ordinary-key-after-bearer-served': subtle('guardrail-read.management-key-only')(
    'A guardrail is read with any key whose scheme is in lower case',
    dropGate('guardrail-read', 'management-key', inLowerCaseScheme),
  ),
  'guardrail-read.misencoded-cookie-500': subtle('guardrail-read.200.read')(
    'A cookie whose value cannot be decoded leads to 500',
    refuseLast('guardrail-read', 500, ({ headers }) => /%(?![\da-f]{2})/i.test(headers.cookie ?? '')),
  ),
  'guardrail-read.body-415': plain('guardrail-read.200.query-and-body')(
    'A body leads to 415',
    refuseLast('guardrail-read', 415, announcesBody),
  ),
  'guardrail-read.workspace-of-the-query': subtle('guardrail-read.404.other-workspace')(
    'A workspace_id in the query selects the workspace whose guardrail is read',
    selectWorkspace('guardrail-read', (call) => queryOf(call).get('workspace_id')),
  ),
  'guardrail-read.encoded-id-of-another-workspace': subtle('guardrail-read.404.other-workspace')(
    'An id with an encoded sign is looked up in every workspace',
    selectWorkspace('guardrail-read', ({ path, parameters, server }) =>
      path.includes('%')
        ? [...server.store.worlds()].find(({ guardrailId }) => guardrailId === parameters.id)?.workspaceId
        : undefined,
    ),
  ),
  ...tabulateFields('guardrail-read.field', everyday.plain, editGuardrail, [
    ['id', 'id-without-hyphens', 'is written without hyphens', (id) => String(id).replaceAll('-', '')],
    ['workspace_id', 'workspace-id-as-slug', 'is the name of the workspace and no UUID', () => 'production'],
    ['name', 'name-by-language', 'is an object with one name for each language', (name) => ({ en: name })],
    ['reset_interval', 'reset-interval-in-days', 'is a number of days', () => 30],
    ['include_byok_in_budgets', 'byok-in-budgets-as-string', 'is the string "true" or "false"', String],
    ['enforce_zdr', 'enforce-zdr-inherit', 'is the word "inherit" in place of null', (on) => on ?? 'inherit'],
    ['enable_free_model_publication', 'free-publication-as-number', 'is 1 or 0', Number],
    ['enable_free_model_training', 'free-training-null', 'is null in place of false', (on) => on || null],
    ['created_at', 'created-without-zone', 'has no zone', (at) => toIso(at).replace('Z', '')],
    ['updated_at', 'updated-two-hours-east', 'is in the zone +02:00: the same moment, not in UTC', toEast],
    ['allowed_providers', 'allowed-providers-as-objects', 'has objects for elements', toObjects],
    ['ignored_models', 'ignored-models-as-object', 'is an empty object for null', (list) => list ?? {}],
    ['ignored_providers', 'ignored-providers-false', 'is false in place of null', (list) => list ?? false],
    ['content_filter_builtins', 'filters-by-slug', 'is an object keyed by slug', keyBySlug],
  ]),
  ...tabulateFields('guardrail-read.field', everyday.subtle, editGuardrail, [
    ['description', 'description-null-when-empty', 'is null for an empty text', (text) => text || null],
    ['limit_usd', 'limit-null-when-zero', 'is null in place of 0', (limit) => limit || null],
    ['enable_paid_model_training', 'paid-training-in-words', 'is "on" in place of true', (on) => on && 'on'],
    ['allowed_models', 'allowed-models-as-text', 'is one string with commas where it is a list', toText],
  ]),
  ...tabulateFields('guardrail-read.field', subtle, editGuardrail, [
    ['created_at', 'created-on-29-february', 'is 29 February of a common year', toLeapDay],
    ['content_filter_builtins', 'filter-slug-as-number', 'has a number for a slug', slugToNumber],
    [
      'allowed_providers',
      'list-without-repeated-as-object',
      'is an object if one is repeated',
      withoutRepeated,
    ],
    ['ignored_providers', 'list-without-empty-as-object', 'is an object if one is empty', withoutEmpty],
    ['ignored_models', 'list-without-zero-as-object', 'is an object if one is 0', withoutZero],
    ['created_at', 'midnight-as-date', 'has no time at midnight', replaceIn('T00:00:00Z', '')],
    [
      'created_at',
      'first-second-null',
      'is null for the first second of 1970',
      (at) => (toMs(at) === 0 ? null : at),
    ],
  ]),
  ...tabulateFields('guardrail-read.200.values', subtle, editGuardrail, [
    ['description', 'apostrophes-doubled', 'has each apostrophe twice', replaceIn("'", "''")],
    ['description', 'line-feeds-as-in-forms', 'has CR LF for each line feed', replaceIn(/\r?\n/g, '\r\n')],
    ['description', 'tabs-as-blanks', 'has a blank for each tab', replaceIn('\t', ' ')],
    ['description', 'no-as-in-yaml', 'is false for the word no', (text) => (text === 'no' ? 'false' : text)],
    ['description', 'plus-as-blank', 'has a blank for each plus sign', replaceIn('+', ' ')],
    ['description', 'entities-decoded', 'has & for &amp;', replaceIn('&amp;', '&')],
    ['description', 'braces-filled-in', 'loses words in braces', replaceIn(/\{\{\w+\}\}/g, '')],
    ['name', 'name-cut-at-255', 'is cut at 255 characters', (name) => String(name).slice(0, 255)],
    ['description', 'description-cut', 'is cut at 32 characters', cut],
    ['name', 'name-in-composed-form', 'is in form NFC', compose],
    ['name', 'name-without-joiners', 'loses its invisible characters', dropInvisible],
    ['allowed_providers', 'providers-in-lower-case', 'is in lower case', toLowerCase],
    ['ignored_models', 'list-of-100', 'has no more than 100 elements', cutLongList],
    ['allowed_providers', 'empty-list-null', 'is null in place of an empty list', emptyToNull],
    ['created_at', 'created-in-week-year', 'has the year to which its week counts', toWeekYear],
    ['updated_at', 'updated-in-32-bits', 'is counted in seconds of 32 bits', toSecondsOf32Bits],
    ['limit_usd', 'negative-limit-as-zero', 'is 0 where it is below', belowToZero],
  ]),
  'guardrail-read.id-of-another': everyday.plain('guardrail-read.200.same-id')(
    'id is that of another guardrail',
    editGuardrail('id', () => ANOTHER_ID),
  ),
  'guardrail-read.id-of-another-with-query': subtle('guardrail-read.200.same-id')(
    'id is that of another guardrail when the request has a query string',
    editGuardrail('id', (id, _guardrail, { path }) => (path.includes('?') ? ANOTHER_ID : id)),
  ),
  'guardrail-read.workspace-of-another': everyday.plain('guardrail-read.200.same-workspace')(
    'workspace_id is that of another workspace',
    editGuardrail('workspace_id', () => ANOTHER_ID),
  ),
  'guardrail-read.names-in-camel-case': plain('guardrail-read.field.limit_usd')(
    'The names of all members are in camel case',
    { guardrailView: (_call, guardrail) => inCamelCase(guardrail) },
  ),
  'guardrail-read.created-by-calendar': subtle('guardrail-read.200.values')(
    'created_at has the year of the calendar of the language that the client prefers',
    editGuardrail('created_at', (at, _guardrail, { headers }) =>
      headers['accept-language']?.startsWith('th') === true
        ? String(at).replace(/^\d+/, (year) => String(Number(year) + 543))
        : at,
    ),
  ),
  'guardrail-read.one-vendor-as-string': everyday.plain('guardrail-read.field.enforce_zdr_vendor')(
    'enforce_zdr_<vendor> is a string for one of the four vendors',
    editGuardrail('enforce_zdr_cobalt', String),
  ),
  'guardrail-read.one-vendor-capitalised': everyday.plain('guardrail-read.field.enforce_zdr_vendor-case')(
    'One of the four vendors begins with a capital',
    {
      guardrailView: (_call, { enforce_zdr_cobalt, ...rest }) => ({
        ...rest,
        enforce_zdr_Cobalt: enforce_zdr_cobalt,
      }),
    },
  ),
  'guardrail-read.fifth-vendor': plain('guardrail-read.field.enforce_zdr_vendor-count')(
    'There are fields of five vendors',
    editGuardrail('enforce_zdr_echo', () => false),
  ),
  'guardrail-read.one-vendor-inverted': subtle('guardrail-read.200.values')(
    'The flag of one vendor is the opposite of what was set',
    editGuardrail('enforce_zdr_dune', (flag) => flag !== true),
  ),
  'guardrail-read.vendor-of-another': subtle('guardrail-read.200.values')(
    'The flag of one vendor is that of another',
    editGuardrail('enforce_zdr_acme', (_flag, guardrail) => guardrail.enforce_zdr_cobalt),
  ),
  'guardrail-read.vendor-told-as-the-others': subtle('guardrail-read.200.values')(
    'enforce_zdr_<vendor> of one of the four has the value of the flag of all other vendors',
    editGuardrail('enforce_zdr_dune', (_flag, guardrail) => guardrail.enforce_zdr_other),
  ),
  'guardrail-read.unknown-id-with-e-400': subtle('guardrail-read.404.unknown')(
    'An unknown id whose last group begins with e answers 400',
    setNotFoundStatus(400, (id) => /-e[^-]*$/i.test(id)),
  ),
  'guardrail-read.empty-list-500': subtle('guardrail-read.200.values')(
    'A guardrail that allows no models leads to 500',
    refuseLast('guardrail-read', 500, ({ key }) => {
      const models = key?.world.guardrail.allowed_models;
      return Array.isArray(models) && models.length === 0;
    }),
  ),
  'guardrail-read.never-fresh': everyday.plain('guardrail-read.200.values')(
    'The first read of a guardrail is repeated for ever',
    { guardrailView: (call, guardrail) => remember(call, String(guardrail.id), () => ({ ...guardrail })) },
  ),
  'guardrail-read.times-of-the-read': subtle('guardrail-read.200.changes-nothing')(
    'created_at and updated_at are the second of the read',
    {
      guardrailView: (_call, guardrail) => {
        const secondOfRead = new Date().toISOString().replace(/\.\d+/, '');
        return { ...guardrail, created_at: secondOfRead, updated_at: secondOfRead };
      },
    },
  ),
  'guardrail-read.read-moves-updated-at': everyday.plain('guardrail-read.200.changes-nothing')(
    'Every read moves updated_at by a second',
    {
      guardrailView: (_call, guardrail) => {
        const before = { ...guardrail };
        guardrail.updated_at = new Date(Date.parse(String(guardrail.updated_at)) + 1000).toISOString();
        return before;
      },
    },
  ),
};

/** Sets the status with which some ids are refused that no guardrail of the workspace has. */
function setNotFoundStatus(status: number, isMeant: (id: string) => boolean): Mutation {
  const when: When = ({ parameters }) => isMeant(parameters.id ?? '');
  return setStatus({ operation: 'guardrail-read', status: 404, when }, status);
}

/** Finds the guardrail of the key's own workspace by some other ids too. */
function alsoFind(isNamed: (id: string, guardrail: JsonObject) => boolean): Mutation {
  return {
    findGuardrail: (call) => {
      const own = call.key?.world.guardrail;
      return own && isNamed(call.parameters.id ?? '', own) ? own : conforming.findGuardrail(call);
    },
  };
}

function findAnyGuardrail({ server, parameters }: Call): JsonObject | undefined {
  const id = parameters.id?.toLowerCase();
  return [...server.store.worlds()].find((world) => world.guardrailId === id)?.guardrail;
}

/** Sets the status with which a guardrail of another workspace is refused. */
export function setForeignGuardrailStatus(status: number): Mutation {
  return editGate('guardrail-read', 'guardrail-exists', (call, original) => {
    const refusal = original(call);
    return refusal === undefined || findAnyGuardrail(call) === undefined ? refusal : { ...refusal, status };
  });
}

function inCamelCase(object: JsonObject): JsonObject {
  const rename = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]));
}

function keyBySlug(filters: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(filters) ? filters : [];
  return Object.fromEntries(list.map((filter) => [isJsonObject(filter) ? filter.slug : '', filter]));
}
