/** A UUID changed into what is none, into one of another version, or into an unknown one. */
export type IdChange = (id: string) => string;

const UNKNOWN = '2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b26';

/** Ids that name nothing; some are no UUIDs. */
export const STRANGE_IDS: readonly IdChange[] = [
  ...[
    UNKNOWN,
    UNKNOWN.toUpperCase(),
    '2b7c9f10-6d1e-1c53-9a41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-2c53-9a41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-3c53-9a41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-5c53-9a41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-6c53-9a41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-7c53-9a41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-8c53-9a41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-0c53-9a41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-4c53-0a41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-4c53-ca41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-4c53-fa41-8f0e5d3c7b26',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '11111111-1111-4111-8111-111111111111',
    'null',
    'undefined',
    'me',
    'self',
    'own',
    'default',
    'all',
    '*',
    '0',
    '1',
    '-1',
    '1.5',
    'abc',
    '%00',
    '%FF',
    '%ZZ',
    '%20',
    '%C3%A9',
    '2b7c9f10',
    '2b7c9f106d1e4c539a418f0e5d3c7b26',
    '2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b2',
    '2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b266',
    '2b7c9f1-06d1e-4c53-9a41-8f0e5d3c7b26',
    'gb7c9f10-6d1e-4c53-9a41-8f0e5d3c7b26',
    '2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b2g',
    '2b7c9f10_6d1e_4c53_9a41_8f0e5d3c7b26',
    '%7B2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b26%7D',
    'urn:uuid:2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b26',
    'x'.repeat(36),
    '-'.repeat(36),
    'a'.repeat(500),
  ].map((id) => () => id),
  (id) => `{${id}}`.replace('{', '%7B').replace('}', '%7D'),
  (id) => `urn:uuid:${id}`,
  (id) => id.replaceAll('-', ''),
  (id) => id.replaceAll('-', '_'),
  (id) => `%20${id}`,
  (id) => `${id}%20`,
  (id) => `${id}%0A`,
  (id) => `${id}%00`,
  (id) => `${id}x`,
  (id) => `${id}0`,
  (id) => `x${id}`,
  (id) => id.slice(0, -1),
  (id) => id.slice(1),
  (id) => id.slice(0, 8),
  (id) => `${id.slice(0, 8)}-`,
  (id) => `${id}.json`,
  (id) => `${id},${id}`,
  (id) => [...id].reverse().join(''),
  (id) => id.replace(/[a-f]/, (letter) => `%${letter.charCodeAt(0).toString(16)}%20`),
];

/** Ids that differ from a known one in one digit, at every place. */
export const NEAR_IDS: readonly IdChange[] = Array.from({ length: 36 }, (_, place) => (id: string) => {
  const digit = id[place] ?? '';
  if (digit === '-' || place === 14 || place === 19) return id.slice(0, 35) + otherDigit(id[35] ?? '');
  return id.slice(0, place) + otherDigit(digit) + id.slice(place + 1);
});

function otherDigit(digit: string): string {
  return ((Number.parseInt(digit, 16) + 1) % 16).toString(16);
}
