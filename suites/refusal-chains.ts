import { oracle } from '../generators/oracle.js';
import {
  type InvalidName,
  type InvalidNameClass,
  invalidName,
  nameLabel,
  ours,
  validName,
} from '../generators/secret-name.js';
import { plainVault, type VaultSituation } from '../generators/situation.js';
import type { RawPart } from '../judge/api.js';
import { type Check, type CheckContext, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import { freshName } from '../targets/fresh-name.js';
import type { World } from '../targets/world.js';
import { optionsOf } from './generated/requests.js';
import { offeredWords } from './generated/words.js';

// §4.1, §5, §7.1 where every request is dear: many refusals over one stored secret that all of them must leave in place.

/** One refusal of a chain: what is unusual beside the plain delete of the stored secret. */
interface Link extends Partial<Omit<VaultSituation, 'operation' | 'name'>> {
  /** The name that is sent, made from the stored one; the stored one where absent, an unknown one for `fresh`. */
  readonly name?: 'fresh' | ((stored: string) => InvalidName);
  /** What stands where the internId should, made from the real one, and what it is. */
  readonly path?: { readonly label: string; readonly of: (own: string) => string };
  /** The row that the link is there for, where the oracle knows a wider one. */
  readonly row?: RequirementId;
}

const standIn = validName('name');

function situationOf({ name, path: _path, row: _row, ...change }: Link): VaultSituation {
  const stored = name === 'fresh' ? ({ stored: 'nowhere' } as const) : {};
  const named = typeof name === 'function' ? { name: name('name') } : {};
  return { ...plainVault(standIn), ...stored, ...change, ...named };
}

function rowsOfLink(link: Link): readonly RequirementId[] {
  const { allowed, due } = oracle(situationOf(link));
  const stated = [...allowed.values()].filter(({ isOpen }) => isOpen !== true);
  return [link.row ?? due.requirement, ...stated.map(({ requirement }) => requirement)];
}

/** A check that a chain of refusals is refused, each as the document says, and deletes nothing. */
function chain(status: 400 | 401 | 403 | 404 | 503, word: string, links: readonly Link[]): Check {
  const keeps = `vault-delete.${status}.keeps` as const;
  const also = [...new Set(links.flatMap(rowsOfLink))].filter((row) => row !== keeps);
  return check(`${keeps}/${word}`, { control: 'vault-delete', also }, async (context) => {
    const { world, api } = context;
    let name = await world.store('own');
    for (const link of links.filter((one) => isOffered(one, context))) {
      const { answer } = await sent(link, name, context);
      // What was wrongly deleted is there again for those that follow.
      if (answer !== undefined && answer.status < 300) name = await world.store('own');
    }
    await api.stillStored({ name }, keeps);
  });
}

function isOffered(link: Link, { offers }: CheckContext): boolean {
  const words = offeredWords(offers);
  const { as, host, intern } = situationOf(link);
  return words.credentials.includes(as) && words.hosts.includes(host) && words.interns.includes(intern);
}

async function sent(link: Link, stored: string, { world, api }: CheckContext) {
  const situation = situationOf(link);
  const answers = oracle(situation);
  const due = link.row === undefined ? answers.due : { ...answers.due, requirement: link.row };
  return api
    .deleteSecret({
      ...optionsOf(situation, 'member', world, api),
      intern: internOf(link, situation, world),
      name: nameOf(link, stored, world),
    })
    .answersOnTheWay({ ...answers, due });
}

function internOf(link: Link, { intern }: VaultSituation, world: World) {
  if (link.path !== undefined) return { label: link.path.label, raw: link.path.of(world.intern('own')) };
  return intern === 'own' || intern === 'sibling' || intern === 'foreign' ? intern : 'own';
}

function nameOf({ name }: Link, stored: string, world: World): string | RawPart {
  if (name === undefined) return stored;
  if (name === 'fresh') return freshName();
  return { label: nameLabel(name(standIn.text)), raw: ours(world.prefix, name(stored).raw) };
}

const query = '?x=1';
const body = '{}';
const host = 'regional' as const;

const spoilt = (word: InvalidNameClass, make: (stored: string) => string): Link => ({
  name: (stored) => invalidName(word, make(stored)),
});
const sentAs = (word: InvalidNameClass, make: (stored: string) => string): Link => ({
  name: (stored) => ({ ...invalidName(word, stored), raw: make(stored) }),
});

/** §7.1: keys that cannot call the vault, again and again, and beside what may be ignored. */
const unauthorized: readonly Link[] = [
  { as: 'none' },
  { as: 'unknown' },
  { as: 'unknown-same-shape', intern: 'sibling', stored: 'at-the-other-intern' },
  { as: 'extended' },
  { as: 'basic' },
  { as: 'basic-encoded' },
  { as: 'disabled' },
  { as: 'provisioning' },
  { as: 'disabled', query },
  { as: 'provisioning', query },
  { as: 'disabled' },
  { as: 'provisioning', body },
  { as: 'unknown-same-shape' },
  { as: 'provisioning' },
];

const forbidden: readonly Link[] = [
  { as: 'unscoped' },
  { host },
  { as: 'unscoped', query },
  { host, query },
  { as: 'unscoped', body },
  { host: 'regional-upper' },
  { as: 'unscoped' },
  { host: 'regional-port' },
  { host, body },
];

const notFound: readonly Link[] = [
  { as: 'outsider' },
  { intern: 'foreign' },
  { name: 'fresh' },
  { as: 'outsider', query },
  { intern: 'foreign', query },
  { name: 'fresh', body },
  { as: 'outsider' },
  {
    intern: 'unknown',
    path: { label: 'the id with another last digit', of: (own) => altered(own, 35) },
    row: 'vault-delete.404.similar-intern',
  },
  { name: 'fresh', query },
  {
    intern: 'unknown',
    path: { label: 'the id with another first digit', of: (own) => altered(own, 0) },
    row: 'vault-delete.404.similar-intern',
  },
  { as: 'outsider', body },
];

/** §2.3: spoilt forms of the stored name, each of which a careless reader would take for it. */
const malformedNames: readonly Link[] = [
  spoilt('too-long', (stored) => stored.repeat(9).slice(0, 256)),
  spoilt('upper-case', (stored) => stored.toUpperCase()),
  spoilt('leading-digit', (stored) => `9${stored}`),
  spoilt('leading-underscore', (stored) => `_${stored}`),
  spoilt('trailing-underscore', (stored) => `${stored}_`),
  spoilt('double-underscore', (stored) => `${stored}_a__b`),
  spoilt('punctuation', (stored) => `${stored}.json`),
  spoilt('punctuation', (stored) => `"${stored}"`),
  spoilt('punctuation', (stored) => `${stored}-1`),
  spoilt('control-character', (stored) => `${stored}\n`),
  spoilt('control-character', (stored) => `${stored}\0`),
  spoilt('beyond-ascii', lowBytesKept),
  spoilt('beyond-ascii', (stored) => `${stored}é`),
  sentAs('encoded-twice', (stored) => `%2561${stored.slice(1)}`),
  sentAs('not-utf-8', (stored) => `${stored}%FF`),
  spoilt('leading-underscore', () => '_'),
];

const malformedPaths: readonly Link[] = [
  {
    intern: 'malformed',
    path: { label: 'the id without its last digit', of: (own) => own.slice(0, -1) },
  },
  {
    intern: 'malformed',
    path: { label: 'the id with a letter that is no digit', of: (own) => `${own.slice(0, -1)}g` },
  },
  {
    intern: 'malformed',
    path: { label: 'the id without dashes', of: (own) => own.replaceAll('-', '') },
  },
  {
    ...sentAs('not-utf-8', (stored) => `%u0061${stored.slice(1)}`),
    row: 'vault-delete.400.percent-encoding',
  },
  { ...sentAs('not-utf-8', (stored) => `${stored}%2`), row: 'vault-delete.400.percent-encoding' },
];

const writesDisabled: readonly Link[] = [
  { as: 'write_disabled' },
  { as: 'write_disabled', query: '?force=true' },
  { as: 'write_disabled', body },
  { as: 'write_disabled' },
];

/** An id with another hex digit at one place. */
function altered(id: string, place: number): string {
  return `${id.slice(0, place)}${id[place] === '7' ? '8' : '7'}${id.slice(place + 1)}`;
}

/** The name in signs whose low bytes are those of its letters. */
function lowBytesKept(name: string): string {
  return [...name].map((sign) => String.fromCharCode(0x0100 + sign.charCodeAt(0))).join('');
}

/** What depth quick sends in place of a check for each refusal; the other depths have those checks. */
export const refusalChains: readonly Check[] = [
  chain(401, 'unauthorized', unauthorized),
  chain(403, 'forbidden', forbidden),
  chain(404, 'not-found', notFound),
  chain(400, 'malformed-names', malformedNames),
  chain(400, 'malformed-paths', malformedPaths),
  chain(503, 'writes-disabled', writesDisabled),
];
