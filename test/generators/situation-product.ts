import type { CredentialWord } from '../../generators/credential.js';
import { openCredentials, otherSchemes, spoiltCredentials } from '../../generators/credential.js';
import { namedGuardrails, namedInterns } from '../../generators/ids.js';
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
  otherMethods,
  type Situation,
  storedPlaces,
  type VaultSituation,
} from '../../generators/situation.js';
import { type Fault, vaultFaults } from '../../spec/vocabulary.js';

/** Every word for who sends a request. */
const everyCredential: readonly CredentialWord[] = [
  ...(['member', 'management', 'provisioning', 'unscoped', 'outsider', 'disabled'] as const),
  ...(['write_disabled', 'exhausted', 'overdrawn', 'free_small', 'free_large'] as const),
  ...spoiltCredentials,
  ...otherSchemes,
  ...openCredentials,
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

/** The step for sampling big products: prime to every number of values, so that all triples of values occur. */
export const sampled = 11;

/** Combinations of the values of some fields with some extras, one in so many of all; undefined leaves its field out. */
function* product(fields: Fields, some: readonly Extras[], step = 1): Generator<Situation> {
  const names = Object.keys(fields);
  const all = some.length * names.reduce((count, name) => count * (fields[name]?.length ?? 1), 1);
  for (let at = 0; at < all; at += step) {
    let rest = Math.floor(at / some.length);
    const situation: Record<string, unknown> = { ...some[at % some.length] };
    for (const name of names) {
      const values = fields[name] ?? [];
      const value = values[rest % values.length];
      if (value !== undefined) situation[name] = value;
      rest = Math.floor(rest / values.length);
    }
    yield situation as unknown as Situation;
  }
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
  yield* product(fields, [{}], sampled);
  yield* product({ ...fields, name: names.slice(2, -2), fault: [undefined] }, [{}], sampled);
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
  return product(fields, extras, sampled);
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
  return product(fields, [{}], sampled);
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
  return product(fields, extras, sampled);
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
  for (const situation of product(fields, [{}])) {
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
  return product(fields, extras);
}
