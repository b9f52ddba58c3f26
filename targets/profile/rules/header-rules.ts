import type { Place, YamlFault } from '../../yaml/place.js';
import type { ProfileDraft } from '../draft.js';

// What the client says itself; another value would be sent in its stead or break the message.
const ownHeaders = ['host', 'content-length', 'transfer-encoding', 'connection'];

/** Headers that the suite sets itself are not to be set by a profile. */
export function headerFaults(draft: ProfileDraft): readonly YamlFault[] {
  return [
    ...reserved(draft, ['headers'], [...ownHeaders, 'authorization']),
    ...reserved(draft, ['store', 'http', 'headers'], ownHeaders),
    ...repeatedNames(draft, ['headers']),
    ...repeatedNames(draft, ['store', 'http', 'headers']),
  ];
}

function namesAt(draft: ProfileDraft, place: Place): readonly string[] {
  const headers = draft.at(...place);
  return typeof headers === 'object' && headers !== null && !Array.isArray(headers)
    ? Object.keys(headers)
    : [];
}

function reserved(draft: ProfileDraft, place: Place, names: readonly string[]): readonly YamlFault[] {
  return namesAt(draft, place)
    .filter((name) => names.includes(name.toLowerCase()))
    .map((name) => ({ place: [...place, name], message: setElsewhere(name.toLowerCase()) }));
}

function setElsewhere(name: string): string {
  if (name === 'authorization') return 'is made of the keys for each request; put the key under keys';
  if (name === 'host') return 'is made of the address for each request; put the address under target';
  return 'is made by the client for each request; take it out';
}

/** Names that differ in their case alone are one header. */
function repeatedNames(draft: ProfileDraft, place: Place): readonly YamlFault[] {
  const seen = new Set<string>();
  return namesAt(draft, place).flatMap((name) => {
    const isRepeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    return isRepeated
      ? [{ place: [...place, name], message: 'is given before in another case; keep one' }]
      : [];
  });
}
