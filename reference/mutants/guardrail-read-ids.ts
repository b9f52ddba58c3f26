import type { Call } from '../call.js';
import type { JsonObject } from '../json.js';
import type { Mutant, Override } from '../mutant.js';
import { answers, restatused } from '../override.js';
import { isUuid } from '../uuid.js';
import { findGuardrail } from '../visibility.js';
import { foreignGuardrailStatus, guardrailOfAnyWorld } from './guardrail-of-any-world.js';

/** Mutants of the area guardrail-read: an id of no guardrail of the workspace is answered as §7.2 does not allow. */
export const guardrailReadIdMutants: readonly Mutant[] = [
  {
    id: 'guardrail-read.unknown-as-own',
    section: '7.2',
    turnsRed: ['guardrail-read.404.unknown'],
    description: "An unknown id gets the guardrail of the key's workspace",
    hardness: 'plain',
    override: {
      findGuardrail: ({ key, parameters }) =>
        isUuid(parameters.id ?? '') ? key?.world.guardrail : undefined,
    },
  },
  {
    id: 'guardrail-read.unknown-by-first-block',
    section: '7.2',
    turnsRed: ['guardrail-read.404.unknown'],
    description: 'Ids are compared by their first block alone',
    hardness: 'subtle',
    override: {
      findGuardrail: (call) => (namesUuid(call) ? guardrailAlike(call, (id) => id.slice(0, 8)) : undefined),
    },
  },
  {
    id: 'guardrail-read.unknown-by-last-block',
    section: '7.2',
    turnsRed: ['guardrail-read.404.unknown'],
    description: 'Ids are compared by their last block alone',
    hardness: 'subtle',
    override: {
      findGuardrail: (call) => (namesUuid(call) ? guardrailAlike(call, (id) => id.slice(24)) : undefined),
    },
  },
  {
    id: 'guardrail-read.unknown-null',
    section: '7.2',
    turnsRed: ['guardrail-read.404.unknown'],
    description: 'An unknown id gets 200 and null data',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 404, when: namesUuid }, (answer) => ({
      status: 200,
      headers: answer.headers,
      body: { data: null },
    })),
  },
  {
    id: 'guardrail-read.unknown-204',
    section: '7.2',
    turnsRed: ['guardrail-read.404.unknown'],
    description: 'An unknown id gets 204',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 404, when: namesUuid }, () => ({
      status: 204,
      headers: {},
    })),
  },
  {
    id: 'guardrail-read.unknown-400',
    section: '7.2',
    turnsRed: ['guardrail-read.404.unknown'],
    description: 'An unknown id gets 400',
    hardness: 'plain',
    override: restatused({ operation: 'guardrail-read', status: 404, when: namesUuid }, 400),
  },
  {
    id: 'guardrail-read.unknown-403',
    section: '7.2',
    turnsRed: ['guardrail-read.404.unknown'],
    description: 'An unknown id gets 403',
    hardness: 'plain',
    override: restatused({ operation: 'guardrail-read', status: 404, when: namesUuid }, 403),
  },
  {
    id: 'guardrail-read.unknown-410',
    section: '7.2',
    turnsRed: ['guardrail-read.404.unknown'],
    description: 'An unknown id gets 410',
    hardness: 'plain',
    override: restatused({ operation: 'guardrail-read', status: 404, when: namesUuid }, 410),
  },
  {
    id: 'guardrail-read.unknown-500',
    section: '7.2',
    turnsRed: ['guardrail-read.404.unknown'],
    description: 'An unknown id gets 500',
    hardness: 'plain',
    override: restatused({ operation: 'guardrail-read', status: 404, when: namesUuid }, 500),
  },
  {
    id: 'guardrail-read.other-workspace-401',
    section: '7.2',
    turnsRed: ['guardrail-read.404.other-workspace'],
    description: "Another workspace's guardrail gets 401, though the key is known",
    hardness: 'plain',
    override: foreignGuardrailStatus(401),
  },
  {
    id: 'guardrail-read.other-workspace-served',
    section: '7.2',
    turnsRed: ['guardrail-read.404.other-workspace'],
    description: 'A management key reads the guardrail of another workspace',
    hardness: 'plain',
    override: { findGuardrail: (call) => (call.key === undefined ? undefined : guardrailOfAnyWorld(call)) },
  },
  {
    id: 'guardrail-read.malformed-id-500',
    section: '4.2',
    turnsRed: ['guardrail-read.404.malformed-id'],
    description: 'An id that is no UUID gets 500',
    hardness: 'plain',
    override: malformedId(500),
  },
  {
    id: 'guardrail-read.malformed-id-422',
    section: '4.2',
    turnsRed: ['guardrail-read.404.malformed-id'],
    description: 'An id that is no UUID gets 422',
    hardness: 'plain',
    override: malformedId(422),
  },
  {
    id: 'guardrail-read.malformed-id-403',
    section: '4.2',
    turnsRed: ['guardrail-read.404.malformed-id'],
    description: 'An id that is no UUID gets 403',
    hardness: 'plain',
    override: malformedId(403),
  },
  {
    id: 'guardrail-read.cut-id-served',
    section: '4.2',
    turnsRed: ['guardrail-read.404.malformed-id'],
    description: 'An id that lacks its last digit gets the guardrail that begins with it',
    hardness: 'subtle',
    override: {
      findGuardrail: (call) =>
        call.parameters.id?.length === 35
          ? guardrailAlike(call, (id) => id.slice(0, 35))
          : findGuardrail(call),
    },
  },
  {
    id: 'guardrail-read.long-id-served',
    section: '4.2',
    turnsRed: ['guardrail-read.404.malformed-id'],
    description: 'What follows the 36 characters of an id is overlooked',
    hardness: 'subtle',
    override: { findGuardrail: (call) => guardrailAlike(call, (id) => id.slice(0, 36)) },
  },
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
