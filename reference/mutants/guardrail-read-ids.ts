import type { Call } from '../behaviour.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, type Override, restatused } from '../mutation.js';
import { findGuardrail } from '../reads.js';
import { isUuid } from '../vault.js';
import type { JsonObject } from '../vocabulary.js';
import { foreignGuardrailStatus, guardrailOfAnyWorld } from './guardrail-of-any-world.js';

/** Mutants of the area guardrail-read: an id of no guardrail of the workspace is answered as §7.2 does not allow. */
export const guardrailReadIdMutants: readonly Mutant[] = [
  ...makeMutants('7.2', ['guardrail-read.404.unknown'], {
    'guardrail-read.unknown-as-own': {
      everydayPlain: "An unknown id gets the guardrail of the key's workspace",
      alsoRed: ['guardrail-read.404.other-workspace'],
      override: {
        findGuardrail: ({ key, parameters }) =>
          isUuid(parameters.id ?? '') ? key?.world.guardrail : undefined,
      },
    },
    'guardrail-read.unknown-by-first-block': {
      subtle: 'Ids are compared by their first block alone',
      override: {
        findGuardrail: (call) => (namesUuid(call) ? guardrailAlike(call, (id) => id.slice(0, 8)) : undefined),
      },
    },
    'guardrail-read.unknown-by-last-block': {
      subtle: 'Ids are compared by their last block alone',
      override: {
        findGuardrail: (call) => (namesUuid(call) ? guardrailAlike(call, (id) => id.slice(24)) : undefined),
      },
    },
    'guardrail-read.unknown-null': {
      plain: 'An unknown id gets 200 and null data',
      override: answers({ operation: 'guardrail-read', status: 404, when: namesUuid }, (answer) => ({
        status: 200,
        headers: answer.headers,
        body: { data: null },
      })),
    },
    'guardrail-read.unknown-204': {
      plain: 'An unknown id gets 204',
      override: answers({ operation: 'guardrail-read', status: 404, when: namesUuid }, () => ({
        status: 204,
        headers: {},
      })),
    },
    'guardrail-read.unknown-400': {
      plain: 'An unknown id gets 400',
      override: restatused({ operation: 'guardrail-read', status: 404, when: namesUuid }, 400),
    },
    'guardrail-read.unknown-403': {
      plain: 'An unknown id gets 403',
      override: restatused({ operation: 'guardrail-read', status: 404, when: namesUuid }, 403),
    },
    'guardrail-read.unknown-410': {
      plain: 'An unknown id gets 410',
      override: restatused({ operation: 'guardrail-read', status: 404, when: namesUuid }, 410),
    },
    'guardrail-read.unknown-500': {
      plain: 'An unknown id gets 500',
      override: restatused({ operation: 'guardrail-read', status: 404, when: namesUuid }, 500),
    },
  }),
  ...makeMutants('7.2', ['guardrail-read.404.other-workspace'], {
    'guardrail-read.other-workspace-401': {
      everydayPlain: "Another workspace's guardrail gets 401, though the key is known",
      override: foreignGuardrailStatus(401),
    },
    'guardrail-read.other-workspace-served': {
      everydayPlain: 'A management key reads the guardrail of another workspace',
      override: { findGuardrail: (call) => (call.key === undefined ? undefined : guardrailOfAnyWorld(call)) },
    },
  }),
  ...makeMutants('4.2', ['guardrail-read.404.malformed-id'], {
    'guardrail-read.malformed-id-500': {
      everydayPlain: 'An id that is no UUID gets 500',
      override: malformedId(500),
    },
    'guardrail-read.malformed-id-422': {
      plain: 'An id that is no UUID gets 422',
      override: malformedId(422),
    },
    'guardrail-read.malformed-id-403': {
      plain: 'An id that is no UUID gets 403',
      override: malformedId(403),
    },
    'guardrail-read.cut-id-served': {
      subtle: 'An id that lacks its last digit gets the guardrail that begins with it',
      override: {
        findGuardrail: (call) =>
          call.parameters.id?.length === 35
            ? guardrailAlike(call, (id) => id.slice(0, 35))
            : findGuardrail(call),
      },
    },
    'guardrail-read.long-id-served': {
      subtle: 'What follows the 36 characters of an id is overlooked',
      override: { findGuardrail: (call) => guardrailAlike(call, (id) => id.slice(0, 36)) },
    },
  }),
];

// A malformed id may get 400 or 404, whatever an unknown one gets.
function namesUuid({ parameters }: Call): boolean {
  return isUuid(parameters.id ?? '');
}

function malformedId(status: number): Override {
  return restatused({ operation: 'guardrail-read', status: 404, when: (call) => !namesUuid(call) }, status);
}

/** The guardrail of the caller's world, if a part of its id is that part of the one asked for. */
function guardrailAlike({ key, parameters }: Call, part: (id: string) => string): JsonObject | undefined {
  if (key === undefined || parameters.id === undefined) return undefined;
  const { world } = key;
  return part(parameters.id.toLowerCase()) === part(world.guardrailId) ? world.guardrail : undefined;
}
