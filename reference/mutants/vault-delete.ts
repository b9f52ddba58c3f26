import { setTimeout as wait } from 'node:timers/promises';
import type { Call, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type MutantRows, plain, rare, subtle, tabulate, tabulateAlike } from '../mutant.js';
import {
  beforeSending,
  countUp,
  dropGate,
  editAnswer,
  type Mutation,
  refuseAt,
  refuseFirst,
  refuseLast,
  remember,
  setGateStatus,
  transmitAs,
  type When,
} from '../mutation.js';
import type { Scope } from '../vocabulary.js';
import { answerJson, formatAnswer, parseBody } from '../wire.js';
import {
  all,
  as,
  compareBy,
  encodedName,
  inShard,
  isStored,
  longName,
  namedIntern,
  nameOf,
  queryOf,
  through,
  withQuery,
  worldOfIntern,
} from './conditions.js';
import {
  DONE,
  deleteThough,
  elseFind,
  elseFindIntern,
  findAlike,
  hideByValue,
  hideSecret,
  keepSecret,
  removeNamed,
  takeAlong,
  takeLike,
  valueAt,
} from './vault-mutations.js';

const NIL = '00000000-0000-0000-0000-000000000000';
const isParent = (stored: string, named: string) => named.startsWith(`${stored}_`);
const looksLike = compareBy((name) => name.replaceAll('0', 'o').replaceAll('1', 'l'));
// The digits that are left out tell version and variant.
const isSameButVersion = compareBy((uuid) => uuid.toLowerCase().replace(/^(.{14}).(.{4})./, '$1$2'));
const isMembersDelete: When = ({ method, key }) => method === 'DELETE' && key?.role === 'member';

/** Mutants of the vault delete that take another secret than they should, or none, or answer a success otherwise (§4.1). */
export const vaultDeleteMutants: MutantRows = {
  'vault-delete.all-clears': subtle('secret-name.accepts.words')(
    'The name all stands for every secret of the intern',
    {
      ...findAlike((_stored, named) => named === 'all'),
      ...takeAlong((call, { scope }) => {
        if (nameOf(call) === 'all') call.key?.world.secrets[scope].clear();
      }),
    },
  ),
  'vault-delete.default-of-the-workspace': subtle('secret-name.accepts.words')(
    'The name default stands for the secret of that name that the workspace has',
    elseFind((call) => {
      const place = { scope: 'workspace', name: 'default' } as const;
      return nameOf(call) === place.name && isStored(call, place.scope) ? place : undefined;
    }),
  ),
  'vault-delete.second-key-401': subtle('vault-delete.204.deleted')(
    'The second key of an account is unknown to the vault',
    refuseFirst('vault-delete', 401, as('free_small_second')),
  ),
  'vault-delete.upper-case-is-own': subtle('vault-delete.204.only-this-intern')(
    'An id in upper case is taken for the own intern',
    {
      findIntern: (world, id) => {
        const found = conforming.findIntern(world, id);
        return found && /[A-F]/.test(id) ? 'own' : found;
      },
    },
  ),
  'vault-delete.value-zero-not-found': subtle('vault-delete.204.deleted')(
    'A secret whose value is 0 is not found',
    hideByValue((value) => value === '0'),
  ),
  'vault-delete.name-of-the-query': subtle('vault-delete.204.takes-effect')(
    'A name in the query takes the place of that in the path',
    findByName((call) => queryOf(call).get('name') ?? undefined),
  ),
  'vault-delete.name-of-the-body': subtle('vault-delete.204.takes-effect')(
    'A name in a JSON body takes the place of that in the path',
    findByName(({ body }) => parseBody(body)?.name),
  ),
  'vault-delete.sibling-secret-through-own': plain('vault-delete.404.other-intern')(
    "A secret that only the sibling intern has is deleted through the other intern's path",
    fallBackTo('sibling', through('own')),
  ),
  'vault-delete.own-secret-through-sibling': everyday.subtle('vault-delete.404.other-intern')(
    "A secret that only the first intern has is deleted through the sibling's path",
    fallBackTo('own', through('sibling')),
  ),
  'vault-delete.sibling-secret-by-long-name': everyday.subtle('vault-delete.404.other-intern')(
    "The sibling's secret is deleted through the other intern if its name has over 64 characters",
    fallBackTo('sibling', all(through('own'), longName)),
  ),
  'vault-delete.workspace-fallback': plain('vault-delete.404.workspace-secret')(
    'A secret that the intern lacks is looked for in the workspace, and deleted there',
    fallBackTo('workspace'),
  ),
  'vault-delete.workspace-fallback-by-long-name': everyday.subtle('vault-delete.404.workspace-secret')(
    'A secret of the workspace is reached through an intern if its name has over 64 characters',
    fallBackTo('workspace', longName),
  ),
  'vault-delete.foreign-secret-through-sibling': everyday.subtle('vault-delete.404.foreign-secret')(
    'A secret that only an intern of another workspace has is deleted through the sibling',
    fallBackTo('foreign', through('sibling')),
  ),
  'vault-delete.any-workspace': everyday.plain('vault-delete.404.other-workspace')(
    'An intern is looked for in all workspaces, whatever workspace the key selects',
    {
      ...dropGate('vault-delete', 'intern-in-workspace', (call) => worldOfIntern(call) !== undefined),
      findSecret: (call) => conforming.findSecret(inWorldOfIntern(call)),
      removeSecret: (call, place) => conforming.removeSecret(inWorldOfIntern(call), place),
    },
  ),
  'vault-delete.intern-by-first-block': everyday.plain('vault-delete.404.similar-intern')(
    'An unknown internId that begins like a known one, up to the first dash, is taken for it',
    matchIntern(compareBy((id) => id.slice(0, 8))),
  ),
  'vault-delete.intern-by-four-blocks': everyday.subtle('vault-delete.404.similar-intern')(
    'The last block of an internId is not compared',
    matchIntern(compareBy((id) => id.slice(0, 24))),
  ),
  'vault-delete.unknown-intern-is-the-workspace': everyday.subtle('vault-delete.404.unknown-intern')(
    'A delete at an intern that does not exist takes the secret of that name at the workspace',
    takeFromWorkspace((call) => namedIntern(call) === undefined),
  ),
  'vault-delete.workspace-id-is-the-workspace': subtle('vault-delete.404.unknown-intern')(
    "A delete at an intern whose id is the workspace's takes the secret of that name at the workspace",
    takeFromWorkspace(({ key, parameters }) => parameters.internId?.toLowerCase() === key?.world.workspaceId),
  ),
  'vault-delete.any-id-is-the-sibling': plain('vault-delete.404.unknown-intern')(
    "Every id but those of the own intern and the sibling stands for the sibling, the sibling's for nobody",
    {
      findIntern: (world, id) => {
        const found = conforming.findIntern(world, id) ?? 'sibling';
        return found === 'sibling' && id.toLowerCase() === world.interns.sibling ? undefined : found;
      },
    },
  ),
  'vault-delete.nil-id-is-the-workspace': subtle('vault-delete.404.unknown-intern')(
    'The nil UUID stands for the workspace, and a delete takes the secret of that name there',
    takeFromWorkspace(({ parameters }) => parameters.internId === NIL),
  ),
  'vault-delete.looks-at-a-hundred': subtle('vault-delete.204.deleted')(
    'A secret is found only if it is among the first hundred that were stored for the intern',
    {
      findSecret: (call) => {
        const place = conforming.findSecret(call);
        const names = [...(call.key?.world.secrets[place?.scope ?? 'own'].keys() ?? [])];
        return place && names.indexOf(place.name) < 100 ? place : undefined;
      },
    },
  ),
  'vault-delete.unknown-intern-is-the-sibling': everyday.subtle('vault-delete.404.unknown-intern')(
    'A delete at an intern that does not exist takes the secret of that name at the sibling',
    elseFindIntern((id, { foreign }) => (id === foreign ? undefined : 'sibling')),
  ),
  'vault-delete.origin-403': everyday.subtle('vault-delete.204.deleted')(
    'A delete that carries an Origin header answers 403',
    refuseLast('vault-delete', 403, ({ headers }) => headers.origin !== undefined),
  ),
  'vault-delete.only-secret-500': subtle('vault-delete.204.deleted')(
    'A delete of the only secret of its intern or workspace answers 500',
    refuseLast('vault-delete', 500, (call) => {
      const place = conforming.findSecret(call);
      return place !== undefined && call.key?.world.secrets[place.scope].size === 1;
    }),
  ),
  'vault-delete.first-of-a-world-500': subtle('vault-delete.204.deleted')(
    'The first delete in each world answers 500, as if the vault were opened only then',
    refuseLast(
      'vault-delete',
      500,
      (call) =>
        conforming.findSecret(call) !== undefined && countUp(call, `deletes in ${call.key?.world.id}`) === 1,
    ),
  ),
  'vault-delete.empty-value-not-found': subtle('vault-delete.204.deleted')(
    'A secret whose value is empty is not found',
    hideByValue((value) => value === ''),
  ),
  'vault-delete.value-of-lines-not-found': subtle('vault-delete.204.takes-effect')(
    'A secret whose value has several lines is not found',
    hideByValue((value) => value.includes('\n')),
  ),
  'vault-delete.204-as-200-with-query': everyday.subtle('vault-delete.400.query')(
    'A delete with a query string is done and answers 200',
    editAnswer({ operation: 'vault-delete', status: 204, when: withQuery }, () => answerJson({ data: null })),
  ),
  'vault-delete.query-422': subtle('vault-delete.400.query', 'vault-delete.status-documented')(
    'A delete with a query string answers 422',
    refuseLast('vault-delete', 422, withQuery),
  ),
  'vault-delete.204-with-content-length': everyday.plain('vault-delete.204.no-body')(
    'The 204 has a JSON body and a Content-Length',
    send204({ 'Content-Type': 'application/json' }, '{"data":null}'),
  ),
  'vault-delete.204-with-body-for-long-names': subtle('vault-delete.204.no-body')(
    'The 204 for a name of more than 64 characters has a JSON body and a Content-Length',
    send204({ 'Content-Type': 'application/json' }, '{"data":null}', longName),
  ),
  'vault-delete.204-unannounced-body': subtle('vault-delete.204.no-body')(
    'The 204 has a Content-Length of 0, and two bytes after its head',
    send204({ 'Content-Length': '0' }, '{}'),
  ),
  'vault-delete.representation-if-preferred': subtle('vault-delete.204.deleted')(
    'A client that prefers a representation gets 200 and the metadata of the deleted secret',
    editAnswer(
      { operation: 'vault-delete', status: 204, when: ({ headers }) => headers.prefer !== undefined },
      () => answerJson({ data: {} }),
    ),
  ),
  'vault-delete.keeps': plain('vault-delete.204.takes-effect')('A delete answers 204 and the secret stays', {
    removeSecret: () => undefined,
  }),
  'vault-delete.comes-back-after-20-ms': subtle('vault-delete.204.takes-effect')(
    'The secret is back 20 ms after it was deleted, from a copy that lags behind',
    bringBackAfter(20),
  ),
  'vault-delete.comes-back-after-4-s': rare('vault-delete.204.takes-effect')(
    'The secret is back 4 seconds after it was deleted, restored by a replica',
    bringBackAfter(4_000),
  ),
  'vault-delete.found-once-more': everyday.subtle('vault-delete.204.takes-effect')(
    'The last secret that was deleted at the sibling is found once more',
    {
      ...elseFind((call) => {
        const place = { scope: 'sibling', name: nameOf(call) } as const;
        const isLast = call.server.memory.get('last at the sibling') === addressOf(call, place);
        return namedIntern(call) === 'sibling' && isLast ? place : undefined;
      }),
      removeSecret: (call, place) => {
        const { memory } = call.server;
        const isFound = conforming.findSecret(call) !== undefined;
        if (place.scope === 'sibling') memory.set('last at the sibling', isFound && addressOf(call, place));
        conforming.removeSecret(call, place);
      },
    },
  ),
  'vault-delete.lost-among-others': everyday.subtle('vault-delete.204.parallel')(
    'Of deletes at the same time at one intern some are undone, for each writes all secrets back',
    beforeSending(async (_response, answer, call) => {
      if (call.operation === 'vault-delete' && answer.status === 204) await writeBack(call);
    }),
  ),
  'vault-delete.caller-of-the-last-request': subtle('vault-delete.204.parallel')(
    'A delete is taken for one by the caller of another workspace whose delete arrived within 3 ms before',
    refuseAt('vault-delete', 'intern-in-workspace', 404, (call) => {
      const { memory, now } = call.server;
      const last = memory.get('last delete') as { readonly world?: string; readonly at: number } | undefined;
      memory.set('last delete', { world: call.key?.world.id, at: now() });
      return last !== undefined && last.world !== call.key?.world.id && now() - last.at < 3;
    }),
  ),
  'vault-delete.encoded-names-kept': subtle('vault-delete.204.takes-effect')(
    'A delete of a name with an escape in it answers 204, and the secret stays',
    keepSecret(encodedName),
  ),
  'vault-delete.stored-twice-again-not-found': everyday.subtle('vault-delete.204.stored-again')(
    'A name that was deleted twice is not found again, though it is stored anew',
    {
      ...hideSecret((call, place) => remember(call, `deletes of ${addressOf(call, place)}`, () => 0) >= 2),
      removeSecret: (call, place) => {
        countUp(call, `deletes of ${addressOf(call, place)}`);
        conforming.removeSecret(call, place);
      },
    },
  ),
  'vault-delete.takes-names-that-end-alike': everyday.plain('vault-delete.204.only-the-named')(
    'Every name that ends with the one named goes too',
    takeLike((name, named) => name.endsWith(named)),
  ),
  ...tabulate('vault-delete', subtle, takeLike, [
    ['204.only-the-named', 'takes-parents', 'Names that the one named extends by _ go too', isParent],
    ['204.only-the-named', 'takes-by-pattern', 'An underscore stands for any character', matchesPattern],
    ['204.only-the-named', 'takes-look-alikes', 'Names that differ by 0 for o or 1 for l go too', looksLike],
  ]),
  'vault-delete.takes-by-pattern-where-absent': subtle('vault-delete.204.only-the-named')(
    'Where no secret has the name, an underscore in it stands for any one character',
    findAlike((stored, named) => named.includes('_') && matchesPattern(stored, named)),
  ),
  'vault-delete.long-names-take-longer-ones': subtle('vault-delete.204.only-the-named')(
    'With a name of more than 64 characters every name that begins with it goes',
    takeLike((name, named) => named.length > 64 && name.startsWith(named)),
  ),
  'vault-delete.long-names-go-at-the-sibling-too': subtle('vault-delete.204.only-this-intern')(
    'With a name of more than 64 characters of the own intern the same name of the sibling goes',
    takeAlong(({ key }, { scope, name }) => {
      if (scope === 'own' && name.length > 64) key?.world.secrets.sibling.delete(name);
    }),
  ),
  'vault-delete.long-names-of-other-workspaces-found': subtle('vault-delete.204.takes-effect')(
    'A name of more than 64 characters answers 204 if it is stored in another workspace',
    elseFind((call) => {
      const name = nameOf(call);
      const isElsewhere = [...call.server.store.worlds()].some(({ secrets }) => secrets.own.has(name));
      return name.length > 64 && isElsewhere ? { scope: 'own', name } : undefined;
    }),
  ),
  'vault-delete.takes-the-same-value': subtle('vault-delete.204.only-the-named')(
    'Every secret of the same value goes too',
    {
      removeSecret: (call, { scope, name }) => {
        const secrets = call.key?.world.secrets[scope];
        const value = secrets?.get(name);
        for (const [other, held] of secrets ?? []) if (held === value) secrets?.delete(other);
      },
    },
  ),
  'vault-delete.takes-the-same-value-elsewhere': subtle('vault-delete.204.only-the-named')(
    'Secrets of the same value in other scopes go too',
    {
      removeSecret: (call, place) => {
        const value = valueAt(call, place);
        conforming.removeSecret(call, place);
        for (const [scope, secrets] of Object.entries(call.key?.world.secrets ?? {}))
          for (const [other, held] of secrets)
            if (scope !== place.scope && held === value) secrets.delete(other);
      },
    },
  ),
  'vault-delete.large-values-stay': subtle('vault-delete.204.takes-effect')(
    'A secret with a value of more than 1,000 characters stays',
    keepSecret((call, place) => valueAt(call, place).length > 1_000),
  ),
  'vault-delete.dot-segment-empties-the-intern': subtle('vault-delete.204.only-the-named')(
    'A delete of the path segment . takes every secret of the intern, as of the folder that it means',
    editAnswer({ when: isMembersDelete }, (answer, { key, path }) => {
      const [, internId] = /\/interns\/([^/?]+)\/secrets\/(?:\.|%2e)\/?(?:\?|$)/i.exec(path) ?? [];
      const intern = key && conforming.findIntern(key.world, internId ?? '');
      if (intern === undefined) return answer;
      key?.world.secrets[intern].clear();
      return DONE;
    }),
  ),
  'vault-delete.takes-the-last-segment-for-the-name': subtle('vault-delete.204.only-the-named')(
    'Of a name with an encoded slash only what follows it is read',
    { rewriteTarget: (target) => target.replace(/\/secrets\/[^?]*%2f/i, '/secrets/') },
  ),
  'vault-delete.name-after-the-last-slash-of-the-query': subtle('vault-delete.400.query')(
    'What follows the last slash of the target is the name, even if that slash is in the query',
    { rewriteTarget: (target) => target.replace(/(?<=\/secrets\/)[^/?]*\?.*\//, '') },
  ),
  'vault-delete.last-secret-empties-the-sibling': everyday.subtle('vault-delete.204.only-this-intern')(
    'With the last secret of one intern all secrets of the sibling go',
    takeAlong(({ key }, { scope }) => {
      if (scope === 'own' && key?.world.secrets.own.size === 0) key.world.secrets.sibling.clear();
    }),
  ),
  'vault-delete.query-names-the-scope': subtle('vault-delete.400.query')(
    'With scope=workspace in the query the secret of the workspace is deleted, not that of the intern',
    {
      findSecret: (call) => {
        if (queryOf(call).get('scope') !== 'workspace') return conforming.findSecret(call);
        return isStored(call, 'workspace') ? { scope: 'workspace', name: nameOf(call) } : undefined;
      },
    },
  ),
  ...tabulateAlike('vault-delete', subtle('vault-delete.204.only-this-intern'), readInternId, [
    ['query-names-the-intern', 'An internId in the query wins', (call) => queryOf(call).get('internId')],
    ['body-names-the-intern', 'An internId in the body wins', ({ body }) => parseBody(body)?.internId],
  ]),
  ...tabulateAlike('vault-delete', subtle('vault-delete.404.unknown-intern'), matchIntern, [
    ['nil-id-is-own-intern', 'The nil UUID is taken for the own intern', (id) => id === NIL],
    ['version-of-id-ignored', 'The version and variant of an internId do not count', isSameButVersion],
  ]),
  'vault-delete.unknown-id-with-e-400': subtle('vault-delete.404.unknown-intern')(
    'An unknown internId whose last group begins with e answers 400',
    setGateStatus('vault-delete', 'intern-in-workspace', 400, ({ parameters }) =>
      /-e[^-]*$/i.test(parameters.internId ?? ''),
    ),
  ),
  'vault-delete.no-id-is-own-intern': subtle('vault-delete.204.only-this-scope')(
    'Where the path names no intern the own one is taken',
    {
      receive: (call) => {
        const [, name] = /\/vault\/interns\/\/secrets\/([^/?]+)/.exec(call.path) ?? [];
        return name !== undefined && call.method === 'DELETE' ? asDelete(call, NIL, name) : call;
      },
      ...elseFindIntern((id) => (id === NIL ? 'own' : undefined)),
    },
  ),
  'vault-delete.takes-the-workspace-s-too': everyday.plain('vault-delete.204.only-this-scope')(
    'The same name goes at the workspace too',
    takeAlong(({ key }, { name }) => key?.world.secrets.workspace.delete(name)),
  ),
  'vault-delete.takes-the-sibling-s-in-one-shard': subtle('vault-delete.204.only-this-intern')(
    'Names of one shard in four go at the sibling intern too',
    takeAlong((call, { name }) => {
      if (inShard(4)(call)) call.key?.world.secrets.sibling.delete(name);
    }),
  ),
  'vault-delete.takes-the-foreign-s-in-one-shard': subtle('vault-delete.204.only-this-scope')(
    'Names of one shard in eight go at the foreign intern too',
    takeAlong((call, { name }) => {
      if (inShard(8)(call)) call.key?.world.secrets.foreign.delete(name);
    }),
  ),
  'vault-delete.takes-from-other-workspaces-in-one-shard': subtle('vault-delete.204.only-this-scope')(
    'Names of one shard in two go at the own interns of all other worlds too',
    takeAlong((call, { name }) => {
      if (inShard(2)(call)) for (const world of call.server.store.worlds()) world.secrets.own.delete(name);
    }),
  ),
  'vault-delete.moved-to-the-workspace-in-one-shard': subtle('vault-delete.204.only-this-scope')(
    'A delete of a name of one shard in four moves the secret to the workspace',
    takeAlong((call, { name }) => {
      if (inShard(4)(call)) call.key?.world.secrets.workspace.set(name, name);
    }),
  ),
  'vault-delete.takes-the-sibling-s-later': subtle('vault-delete.204.only-this-intern')(
    'Two seconds after a delete the same name goes at the sibling intern too',
    takeAlong(({ key }, { name }) => {
      setTimeout(() => key?.world.secrets.sibling.delete(name), 2_000).unref();
    }),
  ),
  'vault-delete.504-takes-the-workspace-s': subtle('vault-delete.204.only-the-named')(
    'A delete that the vault does not answer in time takes the same name at the workspace',
    deleteThough(504, as('member'), (call) => call.key?.world.secrets.workspace.delete(nameOf(call))),
  ),
  'vault-delete.503-deletes-a-second-late': subtle('vault-delete.503.keeps')(
    'A delete while vault writes are disabled is refused, and done a second later',
    deleteThough(
      503,
      () => true,
      (call) => {
        setTimeout(() => removeNamed(call), 1_000).unref();
      },
    ),
  ),
  'vault-delete.503-done-with-the-next': subtle('vault-delete.503.keeps')(
    'A delete while vault writes are disabled is refused, and done with the next that succeeds',
    {
      ...deleteThough(503, as('member'), (call) => call.server.memory.set(`of ${call.key?.world.id}`, call)),
      ...takeAlong(({ server, key }) => {
        const queued = server.memory.get(`of ${key?.world.id}`) as Call | undefined;
        if (queued !== undefined) removeNamed(queued);
      }),
    },
  ),
  'vault-delete.encoded-id-as-it-is': subtle('vault-delete.204.encoded-id', 'guardrail-read.200.encoded-id')(
    'An encoded hyphen in an id is not decoded',
    { rewriteTarget: (target) => target.replaceAll(/%2d/gi, '%252D') },
  ),
  'vault-delete.get-with-method-override-deletes': subtle('vault-delete.safe-methods')(
    'A GET with X-HTTP-Method-Override: DELETE deletes',
    {
      receive: (call) => {
        const [, internId, name] = /\/vault\/interns\/([^/?]+)\/secrets\/([^/?]+)/.exec(call.path) ?? [];
        const isOne = ['GET', 'HEAD'].includes(call.method) && overrideOf(call) === 'DELETE';
        return isOne && internId && name ? asDelete(call, internId, name) : call;
      },
    },
  ),
};

/** Whether a name matches another in which an underscore stands for any one character. */
function matchesPattern(name: string, pattern: string): boolean {
  return new RegExp(`^${pattern.replaceAll('_', '.')}$`).test(name);
}

/** Finds a secret that is not where the path says in another scope of the caller's world. */
function elseFindIn(scope: Scope, when: When): Mutation {
  return elseFind((call) =>
    isStored(call, scope) && when(call) ? { scope, name: nameOf(call) } : undefined,
  );
}

/** Does the same for the interns of the caller's workspace only. */
function fallBackTo(scope: Scope, when: When = () => true): Mutation {
  const isOfWorkspace: When = (call) => ['own', 'sibling'].includes(namedIntern(call) ?? '');
  return elseFindIn(scope, all(isOfWorkspace, when));
}

/** Finds secrets of the workspace by some ids that no intern has. */
function takeFromWorkspace(when: When): Mutation {
  return {
    ...dropGate('vault-delete', 'intern-in-workspace', (call) => isStored(call, 'workspace') && when(call)),
    ...elseFindIn('workspace', when),
  };
}

/** Takes an id that no intern has for the own intern's if it is like that. */
function matchIntern(isLike: (id: string, known: string) => boolean): Mutation {
  return elseFindIntern((id, { own }) => (isLike(id, own) ? 'own' : undefined));
}

/** Returns the call as if its key belonged to the world whose intern it names. */
function inWorldOfIntern(call: Call): Call {
  const world = worldOfIntern(call);
  return call.key === undefined || world === undefined ? call : { ...call, key: { ...call.key, world } };
}

/** Sends the 204 of a delete with headers and a text that Node itself would leave out. */
function send204(headers: Readonly<Record<string, string>>, body: string, when: When = () => true): Mutation {
  return transmitAs({ operation: 'vault-delete', status: 204, when }, (response) => {
    response.socket?.end(formatAnswer({ status: 204, headers, body }));
  });
}

function addressOf({ key }: Call, { scope, name }: SecretPlace): string {
  return `${key?.world.id} ${scope} ${name}`;
}

function bringBackAfter(ms: number): Mutation {
  return {
    removeSecret: (call, place) => {
      const value = valueAt(call, place);
      conforming.removeSecret(call, place);
      setTimeout(() => call.key?.world.secrets[place.scope].set(place.name, value), ms).unref();
    },
  };
}

/** Restores, 10 ms later, what an intern had when its delete was done, whatever others deleted meanwhile. */
async function writeBack({ key, parameters }: Call): Promise<void> {
  const scope = key && conforming.findIntern(key.world, parameters.internId ?? '');
  const secrets = scope && key?.world.secrets[scope];
  const read = [...(secrets ?? [])];
  await wait(10);
  for (const [name, value] of read) if (secrets?.has(name) === false) secrets.set(name, value);
}

/** Reads the internId of a delete elsewhere than in its path, where it is given there. */
function readInternId(read: (call: Call) => unknown): Mutation {
  return {
    receive: (call) => {
      const internId = call.operation === 'vault-delete' ? read(call) : undefined;
      return typeof internId === 'string' ? { ...call, parameters: { ...call.parameters, internId } } : call;
    },
  };
}

function asDelete(call: Call, internId: string, name: string): Call {
  return { ...call, operation: 'vault-delete', method: 'DELETE', parameters: { internId, name } };
}

function overrideOf({ headers }: Call): string | undefined {
  const given = headers['x-http-method-override'] ?? headers['x-method-override'] ?? headers['x-http-method'];
  return typeof given === 'string' ? given.toUpperCase() : undefined;
}

/** Looks for the secret by a name from elsewhere in the request, if the named intern has one of that name. */
function findByName(read: (call: Call) => unknown): Mutation {
  return {
    findSecret: (call) => {
      const [named, name] = [conforming.findSecret(call), read(call)];
      const place = named && typeof name === 'string' ? { ...named, name } : undefined;
      return place && call.key?.world.secrets[place.scope].has(place.name) ? place : named;
    },
  };
}
