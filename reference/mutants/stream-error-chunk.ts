import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { changedMember, errorEvent, type Mutation } from '../mutation.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';

/** Mutants of the area stream-error: a member of the chunk is missing or is not what §6 says. */
export const streamErrorChunkMutants: readonly Mutant[] = [
  ...makeMutants('stream-error.choices.finish_reason', {
    'stream-error.finish-reason-stop': everyday.plain(
      'The in-band error event has the finish_reason "stop"',
      {
        streamErrorEvent: (head, refusal) => ({
          ...conforming.streamErrorEvent(head, refusal),
          choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }],
        }),
      },
    ),
    'stream-error.finish-reason-missing': plain(
      'The choice has no finish_reason',
      choiceMember('finish_reason', undefined),
    ),
    'stream-error.finish-reason-null': plain(
      'The finish_reason of the choice is null',
      choiceMember('finish_reason', null),
    ),
    'stream-error.finish-reason-upper-case': subtle(
      'The finish_reason of the choice is ERROR',
      choiceMember('finish_reason', 'ERROR'),
    ),
    'stream-error.finish-reason-rate-limit': plain(
      'The finish_reason of the choice is rate_limit',
      choiceMember('finish_reason', 'rate_limit'),
    ),
  }),
  ...makeMutants('stream-error.id', {
    'stream-error.id-missing': everyday.plain('The in-band error event has no id', member('id', undefined)),
    'stream-error.id-as-number': plain('The id of the in-band error event is a number', member('id', 1042)),
    'stream-error.id-null': plain('The id of the in-band error event is null', member('id', null)),
  }),
  ...makeMutants('stream-error.object', {
    'stream-error.object-missing': everyday.plain(
      'The in-band error event has no object',
      member('object', undefined),
    ),
    'stream-error.object-completion': plain(
      'The object of the in-band error event is chat.completion',
      member('object', 'chat.completion'),
    ),
    'stream-error.object-error': plain(
      'The object of the in-band error event is error',
      member('object', 'error'),
    ),
  }),
  ...makeMutants('stream-error.created', {
    'stream-error.created-missing': everyday.plain(
      'The in-band error event has no created',
      member('created', undefined),
    ),
    'stream-error.created-as-string': plain(
      'created is a number in a string',
      member('created', '1762162200'),
    ),
    'stream-error.created-iso': plain(
      'created is an ISO 8601 timestamp',
      member('created', '2025-11-03T09:30:00Z'),
    ),
    'stream-error.created-fraction': subtle(
      'created has a fraction of a second',
      member('created', 1_762_162_200.25),
    ),
    'stream-error.created-null': plain('created is null', member('created', null)),
  }),
  ...makeMutants('stream-error.model', {
    'stream-error.model-missing': everyday.plain(
      'The in-band error event has no model',
      member('model', undefined),
    ),
    'stream-error.model-as-object': plain('model is an object', member('model', { id: 'acme/tiny:free' })),
  }),
  ...makeMutants('stream-error.provider', {
    'stream-error.provider-missing': everyday.plain(
      'The in-band error event has no provider',
      member('provider', undefined),
    ),
    'stream-error.provider-null': plain('provider is null', member('provider', null)),
    'stream-error.provider-as-list': plain(
      'provider is the list of the providers tried',
      member('provider', ['Acme', 'Borealis']),
    ),
  }),
  ...makeMutants('stream-error.error', {
    'stream-error.error-missing': everyday.plain(
      'The last chunk has the finish_reason error and no error member',
      member('error', undefined),
      ['inference.502.provider-response', 'stream-error.other-errors'],
    ),
    'stream-error.error-as-string': plain('error is a string', member('error', 'Rate limit exceeded')),
    'stream-error.error-as-array': plain(
      'error is an array of one error',
      errorEvent((event) => ({ ...event, error: [event.error] })),
    ),
  }),
  ...makeMutants('stream-error.error.code', {
    'stream-error.code-as-string': everyday.plain(
      'error.code is a number in a string',
      errorMember('code', '429'),
      ['inference.502.provider-response', 'stream-error.other-errors'],
    ),
    'stream-error.code-as-word': plain('error.code is a word', errorMember('code', 'rate_limit_exceeded')),
    'stream-error.code-missing': plain(
      'The in-band error event has no error.code',
      errorMember('code', undefined),
    ),
    'stream-error.code-null': plain('error.code is null', errorMember('code', null)),
  }),
  ...makeMutants('stream-error.error.message', {
    'stream-error.message-missing': everyday.plain(
      'The in-band error event has no error.message',
      errorMember('message', undefined),
    ),
    'stream-error.message-null': plain('error.message is null', errorMember('message', null)),
  }),
  ...makeMutants('stream-error.choices', {
    'stream-error.choices-missing': everyday.plain(
      'The in-band error event has no choices',
      errorEvent((event) => changedMember(event, 'choices', undefined)),
    ),
    'stream-error.choices-empty': plain(
      'choices is empty',
      choices(() => []),
    ),
    'stream-error.choices-two': subtle(
      'choices has two objects',
      choices((choice) => [choice, { ...choice, index: 1 }]),
    ),
    'stream-error.choices-as-object': plain(
      'choices is the one choice, without an array around it',
      choices((choice) => choice),
    ),
    'stream-error.choice-as-string': plain(
      'choices is an array of one string',
      choices(() => ['error']),
    ),
  }),
  ...makeMutants('stream-error.choices.index', {
    'stream-error.index-missing': everyday.plain('The choice has no index', choiceMember('index', undefined)),
    'stream-error.index-as-string': plain('The index of the choice is a string', choiceMember('index', '0')),
    'stream-error.index-null': plain('The index of the choice is null', choiceMember('index', null)),
  }),
  ...makeMutants('stream-error.choices.delta', {
    'stream-error.delta-missing': everyday.plain('The choice has no delta', choiceMember('delta', undefined)),
    'stream-error.message-for-delta': plain(
      'The choice has a message in place of a delta',
      choices(({ delta, ...choice }) => [{ ...choice, message: delta }]),
    ),
    'stream-error.delta-as-string': plain('The delta of the choice is a string', choiceMember('delta', '')),
    'stream-error.content-missing': subtle('The delta of the choice is empty', choiceMember('delta', {})),
    'stream-error.content-null': subtle(
      'The content of the delta is null',
      choiceMember('delta', { content: null }),
    ),
    'stream-error.content-as-parts': plain(
      'The content of the delta is a list of parts',
      choiceMember('delta', { content: [{ type: 'text', text: '' }] }),
    ),
  }),
];

/** One member of the chunk is another value; undefined leaves it out. */
function member(field: string, value: unknown): Mutation {
  return errorEvent((event) => changedMember(event, field, value));
}

/** One member of the chunk's error is another value; undefined leaves it out. */
function errorMember(field: string, value: unknown): Mutation {
  return errorEvent((event) => ({
    ...event,
    error: isJsonObject(event.error) ? changedMember(event.error, field, value) : event.error,
  }));
}

/** The chunk's choices are made otherwise from the one that is due. */
function choices(change: (choice: JsonObject) => unknown): Mutation {
  return errorEvent((event) => {
    const [choice] = Array.isArray(event.choices) ? (event.choices as readonly unknown[]) : [];
    return isJsonObject(choice) ? { ...event, choices: change(choice) } : event;
  });
}

/** One member of the chunk's choice is another value; undefined leaves it out. */
function choiceMember(field: string, value: unknown): Mutation {
  return choices((choice) => [changedMember(choice, field, value)]);
}
