import { isJsonObject, type JsonObject } from '../json.js';
import type { Mutant, Override } from '../mutant.js';
import { changedMember, errorEvent } from '../override.js';

/** Mutants of the area stream-error: the choices of the chunk are not what §6 says. */
export const streamErrorChoicesMutants: readonly Mutant[] = [
  {
    id: 'stream-error.choices-missing',
    section: '6',
    turnsRed: ['stream-error.choices'],
    description: 'The in-band error event has no choices',
    hardness: 'plain',
    override: errorEvent((event) => changedMember(event, 'choices', undefined)),
  },
  {
    id: 'stream-error.choices-empty',
    section: '6',
    turnsRed: ['stream-error.choices'],
    description: 'choices is empty',
    hardness: 'plain',
    override: choices(() => []),
  },
  {
    id: 'stream-error.choices-two',
    section: '6',
    turnsRed: ['stream-error.choices'],
    description: 'choices has two objects',
    hardness: 'subtle',
    override: choices((choice) => [choice, { ...choice, index: 1 }]),
  },
  {
    id: 'stream-error.choices-as-object',
    section: '6',
    turnsRed: ['stream-error.choices'],
    description: 'choices is the one choice, without an array around it',
    hardness: 'plain',
    override: choices((choice) => choice),
  },
  {
    id: 'stream-error.choice-as-string',
    section: '6',
    turnsRed: ['stream-error.choices'],
    description: 'choices is an array of one string',
    hardness: 'plain',
    override: choices(() => ['error']),
  },
  {
    id: 'stream-error.index-missing',
    section: '6',
    turnsRed: ['stream-error.choices.index'],
    description: 'The choice has no index',
    hardness: 'plain',
    override: choiceMember('index', undefined),
  },
  {
    id: 'stream-error.index-as-string',
    section: '6',
    turnsRed: ['stream-error.choices.index'],
    description: 'The index of the choice is a string',
    hardness: 'plain',
    override: choiceMember('index', '0'),
  },
  {
    id: 'stream-error.index-null',
    section: '6',
    turnsRed: ['stream-error.choices.index'],
    description: 'The index of the choice is null',
    hardness: 'plain',
    override: choiceMember('index', null),
  },
  {
    id: 'stream-error.delta-missing',
    section: '6',
    turnsRed: ['stream-error.choices.delta'],
    description: 'The choice has no delta',
    hardness: 'plain',
    override: choiceMember('delta', undefined),
  },
  {
    id: 'stream-error.message-for-delta',
    section: '6',
    turnsRed: ['stream-error.choices.delta'],
    description: 'The choice has a message in place of a delta',
    hardness: 'plain',
    override: choices(({ delta, ...choice }) => [{ ...choice, message: delta }]),
  },
  {
    id: 'stream-error.delta-as-string',
    section: '6',
    turnsRed: ['stream-error.choices.delta'],
    description: 'The delta of the choice is a string',
    hardness: 'plain',
    override: choiceMember('delta', ''),
  },
  {
    id: 'stream-error.content-missing',
    section: '6',
    turnsRed: ['stream-error.choices.delta'],
    description: 'The delta of the choice is empty',
    hardness: 'subtle',
    override: choiceMember('delta', {}),
  },
  {
    id: 'stream-error.content-null',
    section: '6',
    turnsRed: ['stream-error.choices.delta'],
    description: 'The content of the delta is null',
    hardness: 'subtle',
    override: choiceMember('delta', { content: null }),
  },
  {
    id: 'stream-error.content-as-parts',
    section: '6',
    turnsRed: ['stream-error.choices.delta'],
    description: 'The content of the delta is a list of parts',
    hardness: 'plain',
    override: choiceMember('delta', { content: [{ type: 'text', text: '' }] }),
  },
  {
    id: 'stream-error.finish-reason-missing',
    section: '6',
    turnsRed: ['stream-error.choices.finish_reason'],
    description: 'The choice has no finish_reason',
    hardness: 'plain',
    override: choiceMember('finish_reason', undefined),
  },
  {
    id: 'stream-error.finish-reason-null',
    section: '6',
    turnsRed: ['stream-error.choices.finish_reason'],
    description: 'The finish_reason of the choice is null',
    hardness: 'plain',
    override: choiceMember('finish_reason', null),
  },
  {
    id: 'stream-error.finish-reason-upper-case',
    section: '6',
    turnsRed: ['stream-error.choices.finish_reason'],
    description: 'The finish_reason of the choice is ERROR',
    hardness: 'subtle',
    override: choiceMember('finish_reason', 'ERROR'),
  },
  {
    id: 'stream-error.finish-reason-rate-limit',
    section: '6',
    turnsRed: ['stream-error.choices.finish_reason'],
    description: 'The finish_reason of the choice is rate_limit',
    hardness: 'plain',
    override: choiceMember('finish_reason', 'rate_limit'),
  },
];

/** The chunk's choices are made otherwise from the one that is due. */
function choices(change: (choice: JsonObject) => unknown): Override {
  return errorEvent((event) => {
    const [choice] = Array.isArray(event.choices) ? (event.choices as readonly unknown[]) : [];
    return isJsonObject(choice) ? { ...event, choices: change(choice) } : event;
  });
}

/** One member of the chunk's choice is another value; undefined leaves it out. */
function choiceMember(field: string, value: unknown): Override {
  return choices((choice) => [changedMember(choice, field, value)]);
}
