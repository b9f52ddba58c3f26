import { keyName } from '../control-world.js';
import { shortestKey } from '../known-keys.js';
import type { Redactor } from '../redaction.js';
import { isShownHeader, looksLikeCredential } from '../shown-headers.js';
import type { Profile } from './profile.js';

/** The headers that a profile configures, and where each stands in it. */
function configuredHeaders({
  headers,
  store,
}: Pick<Profile, 'headers' | 'store'>): readonly (readonly [place: string, name: string, value: string])[] {
  const ofStore = store !== undefined && 'http' in store ? store.http.headers : {};
  return [
    ...Object.entries(headers).map(([name, value]) => [`headers.${name}`, name, value] as const),
    ...Object.entries(ofStore).map(([name, value]) => [`store.http.headers.${name}`, name, value] as const),
  ];
}

/** The places of headers that look like credentials and stand in the file itself. */
export function literalCredentials(
  profile: Pick<Profile, 'headers' | 'store'>,
  fromEnvironment: readonly string[],
): readonly string[] {
  return configuredHeaders(profile)
    .filter(([place, name, value]) => {
      return !fromEnvironment.includes(place) && !isShownHeader(name) && looksLikeCredential(value);
    })
    .map(([place]) => place);
}

/**
 * Makes everything secret in a profile known: its keys, what it takes from the environment, and the values of its
 * headers. A header that is known to hold no secret is shown, and so is a text that stands in an address of the profile
 * or in the ledger. A value of less than 12 characters is hidden only as the value of its header: elsewhere it may stand
 * by chance.
 */
export function registerProfileSecrets(redactor: Redactor, profile: Profile): void {
  const { target, keys, secrets, store } = profile;
  const headers = configuredHeaders(profile);
  redactor.addPublic([
    ...[target.base_url, target.regional_base_url ?? ''].flatMap(publicAddresses),
    target.regional_host ?? '',
    ...(store !== undefined && 'http' in store ? [store.http.url ?? store.http.path] : []),
    ...Object.keys(secrets),
    ...headers.map(([, name]) => name),
  ]);
  for (const [role, key] of Object.entries(keys)) redactor.register(key, keyName(role));
  for (const [name, value] of Object.entries(secrets)) redactor.register(value, `$${name}`);
  for (const [, name, value] of headers) {
    if (isShownHeader(name) || redactor.isPublic(value)) continue;
    const standIn = `<value of ${name}>`;
    redactor.hideHeader(name, standIn);
    // What fills a recipe in is known by itself.
    for (const part of value.split(/\{(?:intern|name|value|scope)\}/))
      if (part.trim().length >= shortestKey) redactor.register(part.trim(), standIn);
    const [, word = ''] = /^[a-z]+ (\S+)$/i.exec(value) ?? [];
    if (word.length >= shortestKey) redactor.register(word, standIn);
  }
}

/** An address, and the beginnings of what is asked for below it. */
export function publicAddresses(baseUrl: string): readonly string[] {
  const base = baseUrl.replace(/\/+$/, '');
  return ['key', 'guardrails/', 'vault/interns/', 'chat/completions'].map((path) => `${base}/${path}`);
}
