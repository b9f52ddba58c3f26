import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { dropGate, editAnswer, editFault, editGate, type Mutation, setStatus } from '../mutation.js';
import { findGuardrail } from '../reads.js';
import { isUuid } from '../vault.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';
import { withoutKey, withQuery } from './conditions.js';

const LAST_GATE = { 'guardrail-read': 'fault', 'key-read': 'key-enabled' } as const;

/** Mutants of the area guardrail-read: the 200 is another status, or its body is no guardrail in `data`. */
export const guardrailReadMutants: readonly Mutant[] = [
  ...makeMutants('guardrail-read.200.data', {
    'guardrail-read.data-missing': everyday.plain(
      'The guardrail is in a member named guardrail, and there is no data',
      editAnswer({ operation: 'guardrail-read', status: 200 }, (answer) => ({
        ...answer,
        body: isJsonObject(answer.body) ? { guardrail: answer.body.data } : answer.body,
      })),
    ),
    'guardrail-read.data-twice': subtle('The guardrail is in the data of the data', {
      guardrailView: (call, guardrail) => ({ data: conforming.guardrailView(call, guardrail) }),
    }),
    'guardrail-read.media-type-plain': plain(
      'The guardrail comes as text/plain',
      editAnswer({ operation: 'guardrail-read', status: 200 }, (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'Content-Type': 'text/plain; charset=utf-8' },
      })),
    ),
  }),
  ...makeMutants('guardrail-read.200.read', {
    'guardrail-read.read-204': everyday.plain(
      'A read gets 204 and no body',
      editAnswer({ operation: 'guardrail-read', status: 200 }, () => ({ status: 204, headers: {} })),
      ['guardrail-read.status-documented'],
    ),
  }),
  ...makeMutants('guardrail-read.404.unknown', {
    'guardrail-read.unknown-as-own': everyday.plain(
      "An unknown id gets the guardrail of the key's workspace",
      {
        findGuardrail: ({ key, parameters }) =>
          isUuid(parameters.id ?? '') ? key?.world.guardrail : undefined,
      },
      ['guardrail-read.404.other-workspace'],
    ),
    'guardrail-read.unknown-by-first-block': subtle('Ids are compared by their first block alone', {
      findGuardrail: (call) =>
        namesUuid(call) ? findAlikeGuardrail(call, (id) => id.slice(0, 8)) : undefined,
    }),
  }),
  ...makeMutants('guardrail-read.404.other-workspace', {
    'guardrail-read.other-workspace-401': everyday.plain(
      "Another workspace's guardrail gets 401, though the key is known",
      setForeignGuardrailStatus(401),
    ),
    'guardrail-read.other-workspace-served': everyday.plain(
      'A management key reads the guardrail of another workspace',
      { findGuardrail: (call) => (call.key === undefined ? undefined : findAnyGuardrail(call)) },
    ),
    'guardrail-read.other-workspace-served-by-upper-case-id': subtle(
      'A management key reads the guardrail of another workspace if its id is in upper case',
      {
        findGuardrail: (call) => {
          const own = conforming.findGuardrail(call);
          const id = call.parameters.id ?? '';
          if (own !== undefined || !/[A-F]/.test(id)) return own;
          const worlds = [...call.server.store.worlds()];
          return worlds.find(({ guardrailId }) => guardrailId === id.toLowerCase())?.guardrail;
        },
      },
    ),
  }),
  ...makeMutants('guardrail-read.404.malformed-id', {
    'guardrail-read.malformed-id-500': everyday.plain(
      'An id that is not a UUID gets 500',
      setMalformedIdStatus(500),
    ),
    'guardrail-read.cut-id-served': subtle(
      'An id that lacks its last digit gets the guardrail that begins with it',
      {
        findGuardrail: (call) =>
          call.parameters.id?.length === 35
            ? findAlikeGuardrail(call, (id) => id.slice(0, 35))
            : findGuardrail(call),
      },
    ),
  }),
  ...makeMutants('guardrail-read.401.missing-key', {
    'guardrail-read.missing-key-403': everyday.plain(
      'A read without authentication gets 403',
      setStatus({ operation: 'guardrail-read', status: 401, when: withoutKey }, 403),
    ),
  }),
  ...makeMutants('guardrail-read.management-key-only', {
    'guardrail-read.ordinary-key-served': everyday.plain(
      'A key that is not a management key reads the guardrail',
      dropGate('guardrail-read', 'management-key', isOrdinary),
    ),
  }),
  ...makeMutants('guardrail-read.500.internal', {
    'guardrail-read.internal-error-502': everyday.plain(
      'An internal error gets 502',
      editFault('guardrail_internal_error', { status: 502 }),
    ),
    'guardrail-read.internal-error-200': plain(
      'An internal error gets 200 and a guardrail without fields',
      editAnswer({ operation: 'guardrail-read', status: 500 }, (answer) => ({
        ...answer,
        status: 200,
        body: { data: {} },
      })),
    ),
  }),
  ...makeMutants('guardrail-read.200.query-and-body', {
    'guardrail-read.query-500': everyday.plain(
      'A query string leads to 500',
      refuseRead('guardrail-read', 500, withQuery),
    ),
    'guardrail-read.id-from-query': subtle(
      'An id in the query string is looked up in place of that of the path, and gets 404',
      refuseRead('guardrail-read', 404, ({ path }) => /[?&]id=/.test(path)),
    ),
    'guardrail-read.body-415': plain('A body leads to 415', refuseRead('guardrail-read', 415, announcesBody)),
  }),
];

// A malformed id may get 400 or 404, whatever an unknown one gets.
function namesUuid({ parameters }: Call): boolean {
  return isUuid(parameters.id ?? '');
}

function setMalformedIdStatus(status: number): Mutation {
  return setStatus({ operation: 'guardrail-read', status: 404, when: (call) => !namesUuid(call) }, status);
}

/** The guardrail of the caller's world, if a part of its id is that part of the one asked for. */
function findAlikeGuardrail({ key, parameters }: Call, part: (id: string) => string): JsonObject | undefined {
  if (key === undefined || parameters.id === undefined) return undefined;
  const { world } = key;
  return part(parameters.id.toLowerCase()) === part(world.guardrailId) ? world.guardrail : undefined;
}

// Whether a provisioning key can be a management key too is open.
function isOrdinary({ key }: Call): boolean {
  return key?.traits.kind === 'api';
}

/** The guardrail that a guardrail read names, whosever it is. */
function findAnyGuardrail({ server, parameters }: Call): JsonObject | undefined {
  const id = parameters.id?.toLowerCase();
  return [...server.store.worlds()].find((world) => world.guardrailId === id)?.guardrail;
}

/** A guardrail of another workspace is refused with another status than one that does not exist. */
export function setForeignGuardrailStatus(status: number): Mutation {
  return editGate('guardrail-read', 'guardrail-exists', (call, original) => {
    const refusal = original(call);
    return refusal === undefined || findAnyGuardrail(call) === undefined ? refusal : { ...refusal, status };
  });
}

/** A refusal that no statement asks for: some calls that every gate lets pass get a status all the same. */
export function refuseRead(
  operation: 'guardrail-read' | 'key-read',
  status: number,
  when: (call: Call) => boolean,
): Mutation {
  return editGate(operation, LAST_GATE[operation], (call, original) => {
    const refusal = original(call);
    if (refusal !== undefined) return refusal;
    return when(call) ? { status, message: 'This request is refused' } : undefined;
  });
}

/** Whether the headers of a call announce a body; reads do not take it in. */
export function announcesBody({ headers }: Call): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
