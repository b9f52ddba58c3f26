import { spoiltCredentials } from '../../generators/credential.js';
import { type InvalidNameClass, invalidName, validName } from '../../generators/secret-name.js';
import { type Check, check } from '../../judge/check.js';
import { refusedReads } from '../vault-delete.js';
import { batchRefusals, type RefusalCase, splitIntoBatches } from './vault-batch.js';

// §2.3, §4.1, §5 and §7.1: what the vault delete refuses, again and again, and beside what it may ignore.

const query = '?x=1';
const body = '{}';
const host = 'regional';

// Strangers first: a vault that is down may still let them in, and after its first 503 no more is asked.
const unauthorized: readonly RefusalCase[] = [
  { as: 'none' },
  { as: 'unknown' },
  { as: 'unknown-same-shape' },
  { as: 'empty' },
  { as: 'extended' },
  { as: 'truncated' },
  { as: 'provisioning', query },
  { as: 'provisioning', body },
  { as: 'disabled' },
  { as: 'provisioning' },
  { as: 'provisioning' },
];

/** The other ways to break a header. */
const moreUnauthorized: readonly RefusalCase[] = spoiltCredentials
  .filter((word) => unauthorized.every(({ as }) => as !== word))
  .map((as) => ({ as }));

const forbidden: readonly RefusalCase[] = [
  { as: 'unscoped', query },
  { host, query },
  { as: 'unscoped', body },
  { host },
  { host: 'regional-upper' },
  { as: 'unscoped' },
  { host },
  { as: 'unscoped' },
  { host: 'regional-port' },
];

/** An id with another hex digit at one place; those of version and variant stay, or it may be refused as malformed. */
const otherDigit = (place: number) => ({
  word: 'unknown' as const,
  label: `the id with another digit at place ${place + 1}`,
  of: (id: string) => `${id.slice(0, place)}${id[place] === '7' ? '8' : '7'}${id.slice(place + 1)}`,
});
const similarIntern = (place: number): RefusalCase => ({
  path: otherDigit(place),
  row: 'vault-delete.404.similar-intern',
});

/** Who is outside the programme, and names that no secret has: like the stored one, and unlike it. */
const unknown: readonly RefusalCase[] = [
  { as: 'outsider', query },
  { of: 'nowhere', body },
  { as: 'outsider' },
  similarIntern(35),
  { of: 'nowhere', query },
  { as: 'outsider', body },
  similarIntern(0),
  { of: 'nowhere' },
  { name: (stored) => validName(`${stored}x`), row: 'secret-name.identity' },
  { name: (stored) => validName(stored.slice(0, -1)), row: 'secret-name.identity' },
  { path: { word: 'unknown', label: 'an unknown intern', of: unknownId } },
];

/** What is stored elsewhere, seen from either intern, and from another workspace's. */
const elsewhere: readonly RefusalCase[] = [
  { intern: 'sibling' },
  { intern: 'own', of: 'sibling' },
  { intern: 'own', of: 'workspace' },
  { intern: 'sibling', of: 'workspace' },
  { intern: 'own', of: 'foreign' },
  { intern: 'sibling', of: 'foreign' },
  { intern: 'foreign', of: 'foreign', query },
  { intern: 'foreign', of: 'foreign' },
  { intern: 'foreign' },
  { path: { word: 'unknown', label: 'an unknown intern', of: unknownId }, of: 'sibling' },
  { path: { word: 'unknown', label: 'an unknown intern', of: unknownId }, of: 'workspace' },
  {
    intern: 'sibling',
    of: 'sibling',
    name: (stored) => validName(`${stored.slice(0, -1)}x`),
    row: 'secret-name.identity',
  },
];

const spoilt = (word: InvalidNameClass, make: (stored: string) => string): RefusalCase => ({
  name: (stored) => invalidName(word, make(stored)),
});
const sentAs = (word: InvalidNameClass, make: (stored: string) => string): RefusalCase => ({
  name: (stored) => ({ ...invalidName(word, stored), raw: make(stored) }),
});

/** Spoilt forms of the stored name, each of which a careless reader would take for it. */
const malformedNames: readonly RefusalCase[] = [
  spoilt('too-long', (stored) => stored.padEnd(256, 'a')),
  spoilt('too-long', (stored) => stored.padEnd(257, 'a')),
  spoilt('upper-case', (stored) => stored.charAt(0).toUpperCase() + stored.slice(1)),
  spoilt('upper-case', (stored) => `${stored}Z`),
  spoilt('leading-digit', (stored) => `9${stored}`),
  spoilt('leading-digit', () => '7'),
  spoilt('leading-underscore', (stored) => `_${stored}`),
  spoilt('leading-underscore', () => '_'),
  spoilt('trailing-underscore', (stored) => `${stored}1_`),
  spoilt('double-underscore', (stored) => `${stored}_a__b`),
  spoilt('double-underscore', (stored) => `${stored}___a`),
  spoilt('punctuation', (stored) => `${stored}.json`),
  spoilt('punctuation', (stored) => `"${stored}"`),
  spoilt('control-character', (stored) => `${stored}\n`),
  spoilt('beyond-ascii', lowBytesKept),
  spoilt('beyond-ascii', (stored) => `${stored}\u0663`),
  sentAs('encoded-twice', (stored) => `%2570${stored.slice(1)}`),
  sentAs('not-utf-8', (stored) => `${stored}%FF`),
];

const illEncoded = (make: (stored: string) => string): RefusalCase => ({
  ...sentAs('not-utf-8', make),
  row: 'vault-delete.400.percent-encoding',
});
const malformedId = (label: string, of: (own: string) => string): RefusalCase => ({
  path: { word: 'malformed', label, of },
});
const illEncodedId = (label: string, of: (own: string) => string): RefusalCase => ({
  ...malformedId(label, of),
  row: 'vault-delete.400.percent-encoding',
});

const malformedPaths: readonly RefusalCase[] = [
  malformedId('the id without its last digit', (id) => id.slice(0, -1)),
  malformedId('the id with a letter that is no digit', (id) => `${id.slice(0, -1)}g`),
  malformedId('the id without dashes', (id) => id.replaceAll('-', '')),
  illEncoded((stored) => `%u0070${stored.slice(1)}`),
  illEncoded((stored) => `${stored}%2`),
];

/** Other things that stand where a UUID should; a lenient reader would find the intern in most of them. */
const moreMalformedPaths: readonly RefusalCase[] = [
  malformedId('a word', () => 'not-a-uuid'),
  malformedId('a number', () => '12345'),
  malformedId('null', () => 'null'),
  malformedId('the id in braces', (id) => `%7B${id}%7D`),
  malformedId('the id as a URN', (id) => `urn:uuid:${id}`),
  malformedId('the id with one digit more', (id) => `${id}0`),
  malformedId('the id with underscores', (id) => id.replaceAll('-', '_')),
  malformedId('the id with a dash moved', (id) => `${id.slice(0, 7)}-${id.slice(7, 8)}${id.slice(9)}`),
  malformedId('the id after a blank', (id) => `%20${id}`),
  malformedId('the id before a blank', (id) => `${id}%20`),
  malformedId('the id before a line feed', (id) => `${id}%0A`),
  malformedId('the id before a NUL', (id) => `${id}%00`),
  malformedId('the id with a wildcard', (id) => `${id.slice(0, -1)}*`),
  malformedId('the id twice', (id) => `${id},${id}`),
  illEncodedId('the id and a percent sign', (id) => `${id}%`),
  illEncodedId('the id and half an escape', (id) => `${id}%2`),
  illEncodedId('the id after a malformed escape', (id) => `%zz${id}`),
  ...['%', '%zz', '%4', '%G1'].map((text) => illEncoded(() => text)),
  illEncoded((stored) => `${stored}%`),
  illEncoded((stored) => `%${stored}`),
  illEncoded((stored) => `${stored}%%20`),
];

/** Names that break one rule, whatever is stored; a property walks every sign at every place (generated/names). */
const broken: readonly (readonly [InvalidNameClass, readonly string[]])[] = [
  ['too-long', ['a'.repeat(300), 'plumb1'.repeat(167), `${'a_'.repeat(128)}z`]],
  ['upper-case', ['NAME', 'camelCase', 'NULL', 'True', 'NaN', 'Constructor', 'valueOf', 'SELECT']],
  ['leading-digit', ['1_a', '42', '1e10', '0x1f', '2147483648', '9223372036854775808']],
  ['leading-underscore', ['_a', '_1']],
  ['trailing-underscore', ['a_', 'a1_', 'a_b_', `${'a'.repeat(254)}_`]],
  ['double-underscore', ['a__b', 'na___me', 'a_b__c', 'a__1', 'a__b__c']],
  ['control-character', ['name\r\n', 'name\n\n', '\nname\n', 'na\r\nme']],
  [
    'beyond-ascii',
    ['é', 'а', 'ａ', '٣', '１', 'a\u0301', '😀'].flatMap((sign) => [
      `${sign}name`,
      `na${sign}me`,
      `name${sign}`,
    ]),
  ],
  // Signs that a careless reader drops, folds into letters, or takes for blanks.
  [
    'beyond-ascii',
    ['ß', 'ı', 'ſ', 'K', '²', '\u200b', '\u00a0', '\u2028', '\ufeff', '‿', '＿', '\u0000é'].map(
      (sign) => `na${sign}me`,
    ),
  ],
];

/** The same for texts that are sent as they stand. */
const brokenAsSent: readonly (readonly [InvalidNameClass, readonly string[]])[] = [
  ['encoded-twice', ['%2561bc', 'a%2562c', 'ab%2563', 'abc%2500', '%25%36%31bc', 'abc%2520', '%252561bc']],
  ['not-utf-8', ['%FF', 'name%FF', 'na%C3me', 'name%C3', 'na%C3%28me', 'name%80']],
  ['not-utf-8', ['na%ED%A0%80me', 'na%C0%80me', 'na%C1%A1me', 'na%F8%88%80%80%80me']],
];

const moreMalformedNames: readonly RefusalCase[] = [
  ...broken.flatMap(([word, names]) => names.map((name) => spoilt(word, () => name))),
  ...brokenAsSent.flatMap(([word, texts]) => texts.map((text) => sentAs(word, () => text))),
];

const moreUnknown: readonly RefusalCase[] = [
  ...[7, 9, 16, 21, 24, 34].map(similarIntern),
  { intern: 'foreign', of: 'nowhere' },
  { path: { word: 'unknown', label: 'an unknown intern', of: unknownId }, of: 'foreign' },
];

/** The name in signs whose low bytes are those of its letters. */
function lowBytesKept(name: string): string {
  return [...name].map((sign) => String.fromCharCode(0x0100 + sign.charCodeAt(0))).join('');
}

/** An id of version 4 that nothing has, made from one that is known by turning every digit of it that may be any. */
function unknownId(id: string): string {
  return [...id]
    .map((digit, at) =>
      digit === '-' || at === 14 || at === 19 ? digit : (15 - parseInt(digit, 16)).toString(16),
    )
    .join('');
}

/** The refusals of §2.3, §4.1, §5 and §7.1. */
export const vaultRefusalBatches: readonly Check[] = [
  batchRefusals('vault-delete.401.keeps/chain', [{ keeps: 'vault-delete.401.keeps', cases: unauthorized }]),
  batchRefusals('vault-delete.403.keeps/chain', [{ keeps: 'vault-delete.403.keeps', cases: forbidden }]),
  batchRefusals('vault-delete.404.keeps/chain', [{ keeps: 'vault-delete.404.keeps', cases: unknown }]),
  batchRefusals('vault-delete.404.keeps/chain-elsewhere', [
    { keeps: 'vault-delete.404.keeps', cases: elsewhere },
  ]),
  batchRefusals('vault-delete.400.keeps/chain-of-names', [
    { keeps: 'vault-delete.400.keeps', cases: malformedNames },
  ]),
  batchRefusals('vault-delete.400.keeps/chain-of-paths', [
    { keeps: 'vault-delete.400.keeps', cases: malformedPaths },
  ]),
  ...splitIntoBatches(
    'vault-delete.400.keeps/chain-of-more-paths',
    'vault-delete.400.keeps',
    moreMalformedPaths,
  ),
  ...splitIntoBatches(
    'vault-delete.400.keeps/chain-of-more-names',
    'vault-delete.400.keeps',
    moreMalformedNames,
  ),
  ...splitIntoBatches('vault-delete.401.keeps/chain-of-more', 'vault-delete.401.keeps', moreUnauthorized),
  ...splitIntoBatches('vault-delete.404.keeps/chain-of-more', 'vault-delete.404.keeps', moreUnknown),
  check(
    'vault-delete.safe-methods/chain',
    {
      control: 'vault-delete',
      also: refusedReads.map(({ requirement }) => requirement),
      shows: (offers) => [
        'vault-delete.safe-methods',
        ...refusedReads.filter(({ as }) => offers(`role:${as}`)).map(({ requirement }) => requirement),
      ],
    },
    async ({ world, api, offers }) => {
      const name = await world.store('own');
      for (const method of ['GET', 'HEAD'])
        await api.deleteSecret({ name, method, reaches: 'perhaps' }).send();
      for (const { requirement, as, statuses } of refusedReads.filter((one) => offers(`role:${one.as}`))) {
        await api
          .deleteSecret({ name, method: 'GET', as, reaches: 'perhaps' })
          .answers(statuses, { requirement, goesOn: true });
      }
      await api.stillStored({ name }, 'vault-delete.safe-methods');
    },
  ),
];
