import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { changedMember, errorEvent, type Override } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';

/** Mutants of the area stream-error: a member of the chunk is missing or is not what §6 says. */
export const streamErrorMutants: readonly Mutant[] = [
  ...makeMutants('6', ['stream-error.choices.finish_reason'], {
    'stream-error.finish-reason-stop': {
      everydayPlain: 'The in-band error event has the finish_reason "stop"',
      override: {
        streamErrorEvent: (head, refusal) => ({
          ...conforming.streamErrorEvent(head, refusal),
          choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }],
        }),
      },
    },
  }),
  ...makeMutants('6', ['stream-error.id'], {
    'stream-error.id-missing': {
      everydayPlain: 'The in-band error event has no id',
      override: member('id', undefined),
    },
    'stream-error.id-as-number': {
      plain: 'The id of the in-band error event is a number',
      override: member('id', 1042),
    },
    'stream-error.id-null': {
      plain: 'The id of the in-band error event is null',
      override: member('id', null),
    },
  }),
  ...makeMutants('6', ['stream-error.object'], {
    'stream-error.object-missing': {
      everydayPlain: 'The in-band error event has no object',
      override: member('object', undefined),
    },
    'stream-error.object-completion': {
      plain: 'The object of the in-band error event is chat.completion',
      override: member('object', 'chat.completion'),
    },
    'stream-error.object-error': {
      plain: 'The object of the in-band error event is error',
      override: member('object', 'error'),
    },
  }),
  ...makeMutants('6', ['stream-error.created'], {
    'stream-error.created-missing': {
      everydayPlain: 'The in-band error event has no created',
      override: member('created', undefined),
    },
    'stream-error.created-as-string': {
      plain: 'created is a number in a string',
      override: member('created', '1762162200'),
    },
    'stream-error.created-iso': {
      plain: 'created is an ISO 8601 timestamp',
      override: member('created', '2025-11-03T09:30:00Z'),
    },
    'stream-error.created-fraction': {
      subtle: 'created has a fraction of a second',
      override: member('created', 1_762_162_200.25),
    },
    'stream-error.created-null': { plain: 'created is null', override: member('created', null) },
  }),
  ...makeMutants('6', ['stream-error.model'], {
    'stream-error.model-missing': {
      everydayPlain: 'The in-band error event has no model',
      override: member('model', undefined),
    },
    'stream-error.model-as-object': {
      plain: 'model is an object',
      override: member('model', { id: 'acme/tiny:free' }),
    },
  }),
  ...makeMutants('6', ['stream-error.provider'], {
    'stream-error.provider-missing': {
      everydayPlain: 'The in-band error event has no provider',
      override: member('provider', undefined),
    },
    'stream-error.provider-null': { plain: 'provider is null', override: member('provider', null) },
    'stream-error.provider-as-list': {
      plain: 'provider is the list of the providers tried',
      override: member('provider', ['Acme', 'Borealis']),
    },
  }),
  ...makeMutants('6', ['stream-error.error'], {
    'stream-error.error-missing': {
      everydayPlain: 'The last chunk has the finish_reason error and no error member',
      alsoRed: ['inference.502.provider-response', 'stream-error.other-errors'],
      override: member('error', undefined),
    },
    'stream-error.error-as-string': {
      plain: 'error is a string',
      override: member('error', 'Rate limit exceeded'),
    },
    'stream-error.error-as-array': {
      plain: 'error is an array of one error',
      override: errorEvent((event) => ({ ...event, error: [event.error] })),
    },
  }),
  ...makeMutants('6', ['stream-error.error.code'], {
    'stream-error.code-as-string': {
      everydayPlain: 'error.code is a number in a string',
      alsoRed: ['inference.502.provider-response', 'stream-error.other-errors'],
      override: errorMember('code', '429'),
    },
    'stream-error.code-as-word': {
      plain: 'error.code is a word',
      override: errorMember('code', 'rate_limit_exceeded'),
    },
    'stream-error.code-missing': {
      plain: 'The in-band error event has no error.code',
      override: errorMember('code', undefined),
    },
    'stream-error.code-null': { plain: 'error.code is null', override: errorMember('code', null) },
  }),
  ...makeMutants('6', ['stream-error.error.message'], {
    'stream-error.message-missing': {
      everydayPlain: 'The in-band error event has no error.message',
      override: errorMember('message', undefined),
    },
    'stream-error.message-null': { plain: 'error.message is null', override: errorMember('message', null) },
  }),
];

/** One member of the chunk is another value; undefined leaves it out. */
function member(field: string, value: unknown): Override {
  return errorEvent((event) => changedMember(event, field, value));
}

/** One member of the chunk's error is another value; undefined leaves it out. */
function errorMember(field: string, value: unknown): Override {
  return errorEvent((event) => ({
    ...event,
    error: isJsonObject(event.error) ? changedMember(event.error, field, value) : event.error,
  }));
}
