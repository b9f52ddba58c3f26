import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import {
  dropGate,
  editAnswer,
  editFault,
  editGate,
  type Mutation,
  setHeader,
  setStatus,
} from '../mutation.js';
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
      setHeader({ operation: 'guardrail-read', status: 200 }, 'Content-Type', 'text/plain; charset=utf-8'),
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
    'guardrail-read.by-workspace-id': subtle('The id of a workspace gets the guardrail of that workspace', {
      findGuardrail: (call) =>
        call.parameters.id?.toLowerCase() === call.key?.world.workspaceId
          ? call.key?.world.guardrail
          : conforming.findGuardrail(call),
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
  }),
  ...makeMutants('guardrail-read.404.malformed-id', {
    'guardrail-read.malformed-id-500': everyday.plain(
      'An id that is not a UUID gets 500',
      setStatus(
        { operation: 'guardrail-read', status: 404, when: ({ parameters }) => !isUuid(parameters.id ?? '') },
        500,
      ),
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
  }),
  ...makeMutants('guardrail-read.200.query-and-body', {
    'guardrail-read.query-500': everyday.plain(
      'A query string leads to 500',
      refuseRead('guardrail-read', 500, withQuery),
    ),
    'guardrail-read.body-415': plain('A body leads to 415', refuseRead('guardrail-read', 415, announcesBody)),
  }),
];

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
