import { type Mutant, makeMutants } from '../mutant.js';
import { changedMember, errorEvent, type Override } from '../mutation.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';

/** Mutants of the area stream-error: the choices of the chunk are not what §6 says. */
export const streamErrorChoicesMutants: readonly Mutant[] = [
  ...makeMutants('6', ['stream-error.choices'], {
    'stream-error.choices-missing': {
      everydayPlain: 'The in-band error event has no choices',
      override: errorEvent((event) => changedMember(event, 'choices', undefined)),
    },
    'stream-error.choices-empty': { plain: 'choices is empty', override: choices(() => []) },
    'stream-error.choices-two': {
      subtle: 'choices has two objects',
      override: choices((choice) => [choice, { ...choice, index: 1 }]),
    },
    'stream-error.choices-as-object': {
      plain: 'choices is the one choice, without an array around it',
      override: choices((choice) => choice),
    },
    'stream-error.choice-as-string': {
      plain: 'choices is an array of one string',
      override: choices(() => ['error']),
    },
  }),
  ...makeMutants('6', ['stream-error.choices.index'], {
    'stream-error.index-missing': {
      everydayPlain: 'The choice has no index',
      override: choiceMember('index', undefined),
    },
    'stream-error.index-as-string': {
      plain: 'The index of the choice is a string',
      override: choiceMember('index', '0'),
    },
    'stream-error.index-null': {
      plain: 'The index of the choice is null',
      override: choiceMember('index', null),
    },
  }),
  ...makeMutants('6', ['stream-error.choices.delta'], {
    'stream-error.delta-missing': {
      everydayPlain: 'The choice has no delta',
      override: choiceMember('delta', undefined),
    },
    'stream-error.message-for-delta': {
      plain: 'The choice has a message in place of a delta',
      override: choices(({ delta, ...choice }) => [{ ...choice, message: delta }]),
    },
    'stream-error.delta-as-string': {
      plain: 'The delta of the choice is a string',
      override: choiceMember('delta', ''),
    },
    'stream-error.content-missing': {
      subtle: 'The delta of the choice is empty',
      override: choiceMember('delta', {}),
    },
    'stream-error.content-null': {
      subtle: 'The content of the delta is null',
      override: choiceMember('delta', { content: null }),
    },
    'stream-error.content-as-parts': {
      plain: 'The content of the delta is a list of parts',
      override: choiceMember('delta', { content: [{ type: 'text', text: '' }] }),
    },
  }),
  ...makeMutants('6', ['stream-error.choices.finish_reason'], {
    'stream-error.finish-reason-missing': {
      plain: 'The choice has no finish_reason',
      override: choiceMember('finish_reason', undefined),
    },
    'stream-error.finish-reason-null': {
      plain: 'The finish_reason of the choice is null',
      override: choiceMember('finish_reason', null),
    },
    'stream-error.finish-reason-upper-case': {
      subtle: 'The finish_reason of the choice is ERROR',
      override: choiceMember('finish_reason', 'ERROR'),
    },
    'stream-error.finish-reason-rate-limit': {
      plain: 'The finish_reason of the choice is rate_limit',
      override: choiceMember('finish_reason', 'rate_limit'),
    },
  }),
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
