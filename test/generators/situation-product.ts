import type { CredentialWord } from '../../generators/credential.js';
import { openCredentials, otherSchemes, spoiltCredentials } from '../../generators/credential.js';
import {
  type InvalidName,
  type InvalidNameClass,
  makeInvalidName,
  makeValidName,
  type ValidName,
} from '../../generators/secret-name.js';
import {
  type Extras,
  type GuardrailSituation,
  hosts,
  type InferenceSituation,
  type KeySituation,
  namedGuardrails,
  namedInterns,
  otherMethods,
  type Situation,
  storedPlaces,
  type VaultSituation,
} from '../../generators/situation.js';
import type { Fault } from '../../spec/vocabulary.js';

/** Every word for who sends a request. */
const everyCredential: readonly CredentialWord[] = [
  ...(['member', 'management', 'provisioning', 'unscoped', 'outsider', 'disabled'] as const),
  ...(['write_disabled', 'exhausted', 'overdrawn', 'free_small', 'free_large'] as const),
  ...spoiltCredentials,
  ...otherSchemes,
  ...openCredentials,
];

/** Faults that a vault delete meets. */
export const vaultFaults: readonly Fault[] = [
  'vault_rate_limited',
  'scope_lookup_failed',
  'vault_unreachable',
  'vault_bad_response',
  'vault_writes_disabled',
  'vault_not_configured',
  'vault_timeout',
  'route_deadline',
];

const otherFaults: readonly Fault[] = [
  'platform_rate_limited',
  'upstream_rate_limited',
  'mid_stream_error',
  'model_down',
  'no_provider',
];

/** A legal name, and one of each way to be none. */
const names: readonly (ValidName | InvalidName)[] = [
  makeValidName('a'),
  ...(
    [
      ['too-long', 'a'.repeat(256)],
      ['upper-case', 'Name'],
      ['leading-digit', '1name'],
      ['leading-underscore', '_name'],
      ['trailing-underscore', 'name_'],
      ['double-underscore', 'na__me'],
      ['punctuation', 'na.me'],
      ['control-character', 'name\n'],
      ['white-space-around', ' name'],
      ['beyond-ascii', 'namé'],
      ['encoded-twice', 'n%61me'],
    ] satisfies readonly (readonly [InvalidNameClass, string])[]
  ).map(([word, text]) => makeInvalidName(word, text)),
  { ...makeInvalidName('look-alike', 'Name'), rule: 'secret-name.refuses.upper-case', looksLike: 'name' },
  { ...makeInvalidName('not-utf-8', 'name'), raw: 'name%FF' },
];

/** Nothing beside the request, or one thing of each kind. */
const extras: readonly Extras[] = [
  {},
  { query: '?x=1' },
  { body: '{}' },
  { headers: { Origin: 'https://elsewhere.test' } },
  { headers: { Accept: '*/*' } },
  { headers: { 'Content-Type': 'application/json' } },
  { headers: { 'X-Forwarded-Host': 'elsewhere.test' } },
  { query: '?x=1', body: '[]', headers: { Origin: 'https://elsewhere.test' } },
];

type Fields = Readonly<Record<string, readonly unknown[]>>;

/** Every combination of the values of some fields; undefined leaves its field out. */
function* product(fields: Fields): Generator<Record<string, unknown>> {
  const [first, ...rest] = Object.entries(fields);
  if (first === undefined) {
    yield {};
    return;
  }
  const [field, values] = first;
  for (const others of product(Object.fromEntries(rest))) {
    for (const value of values) yield value === undefined ? others : { ...others, [field]: value };
  }
}

function* withExtras(
  facts: Iterable<Record<string, unknown>>,
  some: readonly Extras[],
): Generator<Situation> {
  for (const fact of facts) for (const extra of some) yield { ...fact, ...extra } as unknown as Situation;
}

/**
 * Every vault delete, nothing coming along with it: all facts against all others. The ways to be no name are alike to
 * everything else, so all of them but three meet a delete without a fault alone.
 */
export function* everyVaultDelete(): Generator<Situation> {
  const fields = {
    operation: ['vault-delete'],
    as: everyCredential,
    host: hosts,
    intern: namedInterns,
    name: [...names.slice(0, 2), ...names.slice(-2)],
    stored: storedPlaces,
    fault: [undefined, ...vaultFaults],
    method: [undefined],
  } satisfies Record<keyof Omit<VaultSituation, keyof Extras>, readonly unknown[]>;
  yield* withExtras(product(fields), [{}]);
  yield* withExtras(product({ ...fields, name: names.slice(2, -2), fault: [undefined] }), [{}]);
}

/** Vault deletes with everything that can come along, and with faults of inference, over fewer names, interns and places. */
export function everyVaultDeleteWithExtras(): Iterable<Situation> {
  const fields = {
    operation: ['vault-delete'],
    as: everyCredential,
    host: hosts,
    intern: ['own', 'own-spelled', 'foreign', 'malformed'],
    name: names.slice(0, 2),
    stored: ['there', 'nowhere'],
    fault: [undefined, 'vault_rate_limited', 'route_deadline', ...otherFaults],
    method: [undefined],
  } satisfies Record<keyof Omit<VaultSituation, keyof Extras>, readonly unknown[]>;
  return withExtras(product(fields), extras);
}

/** Vault deletes that may reach no route, or another: every other method, and a name that a router may take apart. */
export function everyRoutedElsewhere(): Iterable<Situation> {
  const ambiguous: InvalidName = { class: 'routing-ambiguous', rule: 'secret-name.routing', raw: 'a%2Fb' };
  const fields = {
    operation: ['vault-delete'],
    as: everyCredential,
    host: hosts,
    intern: namedInterns,
    name: [...names.slice(0, 2), ambiguous],
    stored: ['there', 'nowhere'],
    fault: [undefined, 'vault_timeout'],
    method: [undefined, ...otherMethods],
  } satisfies Record<keyof Omit<VaultSituation, keyof Extras>, readonly unknown[]>;
  return withExtras(product(fields), [{}]);
}

/** Every guardrail read. */
export function everyGuardrailRead(): Iterable<Situation> {
  const fields = {
    operation: ['guardrail-read'],
    as: everyCredential,
    host: hosts,
    id: namedGuardrails,
    fault: [undefined, 'guardrail_internal_error', ...otherFaults],
  } satisfies Record<keyof Omit<GuardrailSituation, keyof Extras>, readonly unknown[]>;
  return withExtras(product(fields), extras);
}

/** Requests during a fault of the other operation, which is none of theirs. */
export function everyRequestBesideOtherFaults(): readonly Iterable<Situation>[] {
  const fields = { as: everyCredential, host: hosts };
  const read = { ...fields, operation: ['guardrail-read'], id: namedGuardrails, fault: vaultFaults };
  const deleted = {
    ...fields,
    operation: ['vault-delete'],
    intern: namedInterns,
    name: names.slice(0, 2),
    stored: ['there'],
    fault: ['guardrail_internal_error'],
  };
  return [read, deleted].map((all) => withExtras(product(all), extras));
}

/** Every inference request that makes sense: a stream alone can break off, and a free model alone is limited. */
export function* everyInferenceRequest(): Generator<Situation> {
  const fields = {
    operation: ['inference'],
    as: everyCredential,
    host: ['global'],
    model: ['free', 'paid'],
    stream: [false, true],
    fault: [undefined, 'upstream_rate_limited_hint', ...otherFaults],
  } satisfies Record<keyof Omit<InferenceSituation, keyof Extras>, readonly unknown[]>;
  for (const situation of withExtras(product(fields), [{}])) {
    const { fault, model, stream } = situation as InferenceSituation;
    if ((stream || fault !== 'mid_stream_error') && (model === 'free' || fault !== 'platform_rate_limited'))
      yield situation;
  }
}

/** Every key read. */
export function everyKeyRead(): Iterable<Situation> {
  const fields = {
    operation: ['key-info'],
    as: everyCredential,
    host: hosts,
  } satisfies Record<keyof Omit<KeySituation, keyof Extras>, readonly unknown[]>;
  return withExtras(product(fields), extras);
}
