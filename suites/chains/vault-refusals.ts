import { type InvalidNameClass, invalidName, validName } from '../../generators/secret-name.js';
import { type Check, check } from '../../judge/check.js';
import { refusedReads } from '../vault-delete.js';
import { type Link, vaultChain } from './vault-chain.js';

// §2.3, §4.1, §5 and §7.1: what the vault delete refuses, again and again, and beside what it may ignore.

const query = '?x=1';
const body = '{}';
const host = 'regional';

const unauthorized: readonly Link[] = [
  { as: 'provisioning', query },
  { as: 'none' },
  { as: 'unknown' },
  { as: 'unknown-same-shape' },
  { as: 'provisioning', body },
  { as: 'disabled' },
  { as: 'empty' },
  { as: 'extended' },
  { as: 'truncated' },
  { as: 'provisioning' },
  { as: 'provisioning' },
];

const forbidden: readonly Link[] = [
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
const row = 'vault-delete.404.similar-intern';

/** Who is outside the programme, and names that no secret has: like the stored one, and unlike it. */
const unknown: readonly Link[] = [
  { as: 'outsider', query },
  { of: 'nowhere', body },
  { as: 'outsider' },
  { path: otherDigit(35), row },
  { of: 'nowhere', query },
  { as: 'outsider', body },
  { path: otherDigit(0), row },
  { of: 'nowhere' },
  { name: (stored) => validName(`${stored}x`), row: 'secret-name.identity' },
  { name: (stored) => validName(stored.slice(0, -1)), row: 'secret-name.identity' },
  { path: { word: 'unknown', label: 'an unknown intern', of: unknownId } },
];

/** What is stored elsewhere, seen from either intern, and from another workspace's. */
const elsewhere: readonly Link[] = [
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

const spoilt = (word: InvalidNameClass, make: (stored: string) => string): Link => ({
  name: (stored) => invalidName(word, make(stored)),
});
const sentAs = (word: InvalidNameClass, make: (stored: string) => string): Link => ({
  name: (stored) => ({ ...invalidName(word, stored), raw: make(stored) }),
});

/** Spoilt forms of the stored name, each of which a careless reader would take for it. */
const malformedNames: readonly Link[] = [
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

const malformedPaths: readonly Link[] = [
  {
    path: { word: 'malformed', label: 'the id without its last digit', of: (id) => id.slice(0, -1) },
  },
  {
    path: {
      word: 'malformed',
      label: 'the id with a letter that is no digit',
      of: (id) => `${id.slice(0, -1)}g`,
    },
  },
  { path: { word: 'malformed', label: 'the id without dashes', of: (id) => id.replaceAll('-', '') } },
  {
    ...sentAs('not-utf-8', (stored) => `%u0070${stored.slice(1)}`),
    row: 'vault-delete.400.percent-encoding',
  },
  { ...sentAs('not-utf-8', (stored) => `${stored}%2`), row: 'vault-delete.400.percent-encoding' },
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

/** What depth quick sends of §2.3, §4.1, §5 and §7.1 in place of a check for each refusal. */
export const vaultRefusalChains: readonly Check[] = [
  vaultChain('vault-delete.401.keeps/chain', [{ keeps: 'vault-delete.401.keeps', links: unauthorized }]),
  vaultChain('vault-delete.403.keeps/chain', [{ keeps: 'vault-delete.403.keeps', links: forbidden }]),
  vaultChain('vault-delete.404.keeps/chain', [{ keeps: 'vault-delete.404.keeps', links: unknown }]),
  vaultChain('vault-delete.404.keeps/chain-elsewhere', [
    { keeps: 'vault-delete.404.keeps', links: elsewhere },
  ]),
  vaultChain('vault-delete.400.keeps/chain-of-names', [
    { keeps: 'vault-delete.400.keeps', links: malformedNames },
  ]),
  vaultChain('vault-delete.400.keeps/chain-of-paths', [
    { keeps: 'vault-delete.400.keeps', links: malformedPaths },
  ]),
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
