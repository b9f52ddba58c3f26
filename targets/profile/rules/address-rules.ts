import { isLoopback } from '../../loopback.js';
import type { Place, YamlFault } from '../../yaml/place.js';
import type { ProfileDraft } from '../draft.js';
import { withoutPlaceholders } from '../placeholders.js';

/** Addresses that paths are appended to. */
const baseUrls: readonly Place[] = [
  ['target', 'base_url'],
  ['target', 'regional_base_url'],
];
const storeUrl: Place = ['store', 'http', 'url'];

/** Addresses are whole, hold no password and nothing that a path could not follow. */
export function addressFaults(draft: ProfileDraft): readonly YamlFault[] {
  return [
    ...baseUrls.flatMap((place) => messages(draft.text(...place), baseUrlRules).map(at(place))),
    ...messages(withoutPlaceholders(draft.text(...storeUrl)), urlRules).map(at(storeUrl)),
    ...insecureFaults(draft),
  ];
}

function at(place: Place): (message: string) => YamlFault {
  return (message) => ({ place, message });
}

/** What may not be in an address, looked for in its text: the URL class drops some of it without a word. */
type AddressRule = readonly [isBroken: (text: string) => boolean, message: string];

const urlRules: readonly AddressRule[] = [
  [(text) => /[\s\\\p{Cc}]/u.test(text), 'holds a blank, a control character or a backslash'],
  [(text) => !URL.canParse(text), 'is no URL; check the host and the port'],
  [(text) => authorityOf(text).includes('@'), 'holds a user name or a password; keys belong under keys'],
  [(text) => text.includes('#'), 'holds a fragment (#); take it out'],
];
const baseUrlRules: readonly AddressRule[] = [
  ...urlRules,
  [(text) => text.includes('?'), 'holds a query (?); paths are appended to it, so take the query out'],
];

function messages(text: string | undefined, rules: readonly AddressRule[]): readonly string[] {
  // Another scheme or none is the schema's to tell.
  if (text === undefined || !/^https?:\/\/[^/]/.test(text)) return [];
  return rules.filter(([isBroken]) => isBroken(text)).map(([, message]) => message);
}

function authorityOf(text: string): string {
  return text.split('//')[1]?.split(/[/?#]/)[0] ?? '';
}

/** Whoever accepts any certificate is to meet nobody but this machine. */
function insecureFaults(draft: ProfileDraft): readonly YamlFault[] {
  if (draft.at('tls', 'insecure') !== true) return [];
  const urls = [...baseUrls, storeUrl].map(
    (place) => [place, withoutPlaceholders(draft.text(...place))] as const,
  );
  return urls
    .filter(([, text]) => text !== undefined && URL.canParse(text) && !isLoopback(text))
    .map(([place]) => ({
      place: ['tls', 'insecure'],
      message: `is for targets on loopback only, and ${place.join('.')} is not; trust its certificate with tls.ca`,
    }));
}
