import { conforming } from '../behaviour.js';
import { isJsonObject } from '../json.js';
import type { Mutant, Override } from '../mutant.js';
import { changedMember, errorEvent } from '../override.js';

/** Mutants of the area stream-error: a member of the chunk is missing or is not what §6 says. */
export const streamErrorMutants: readonly Mutant[] = [
  {
    id: 'stream-error.finish-reason-stop',
    section: '6',
    turnsRed: ['stream-error.choices.finish_reason'],
    description: 'The in-band error event has the finish_reason "stop"',
    hardness: 'plain',
    override: {
      streamErrorEvent: (head, refusal) => ({
        ...conforming.streamErrorEvent(head, refusal),
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }],
      }),
    },
  },
  {
    id: 'stream-error.id-missing',
    section: '6',
    turnsRed: ['stream-error.id'],
    description: 'The in-band error event has no id',
    hardness: 'plain',
    override: member('id', undefined),
  },
  {
    id: 'stream-error.id-as-number',
    section: '6',
    turnsRed: ['stream-error.id'],
    description: 'The id of the in-band error event is a number',
    hardness: 'plain',
    override: member('id', 1042),
  },
  {
    id: 'stream-error.id-null',
    section: '6',
    turnsRed: ['stream-error.id'],
    description: 'The id of the in-band error event is null',
    hardness: 'plain',
    override: member('id', null),
  },
  {
    id: 'stream-error.object-missing',
    section: '6',
    turnsRed: ['stream-error.object'],
    description: 'The in-band error event has no object',
    hardness: 'plain',
    override: member('object', undefined),
  },
  {
    id: 'stream-error.object-completion',
    section: '6',
    turnsRed: ['stream-error.object'],
    description: 'The object of the in-band error event is chat.completion',
    hardness: 'plain',
    override: member('object', 'chat.completion'),
  },
  {
    id: 'stream-error.object-error',
    section: '6',
    turnsRed: ['stream-error.object'],
    description: 'The object of the in-band error event is error',
    hardness: 'plain',
    override: member('object', 'error'),
  },
  {
    id: 'stream-error.created-missing',
    section: '6',
    turnsRed: ['stream-error.created'],
    description: 'The in-band error event has no created',
    hardness: 'plain',
    override: member('created', undefined),
  },
  {
    id: 'stream-error.created-as-string',
    section: '6',
    turnsRed: ['stream-error.created'],
    description: 'created is a number in a string',
    hardness: 'plain',
    override: member('created', '1762162200'),
  },
  {
    id: 'stream-error.created-iso',
    section: '6',
    turnsRed: ['stream-error.created'],
    description: 'created is an ISO 8601 timestamp',
    hardness: 'plain',
    override: member('created', '2025-11-03T09:30:00Z'),
  },
  {
    id: 'stream-error.created-fraction',
    section: '6',
    turnsRed: ['stream-error.created'],
    description: 'created has a fraction of a second',
    hardness: 'subtle',
    override: member('created', 1_762_162_200.25),
  },
  {
    id: 'stream-error.created-null',
    section: '6',
    turnsRed: ['stream-error.created'],
    description: 'created is null',
    hardness: 'plain',
    override: member('created', null),
  },
  {
    id: 'stream-error.model-missing',
    section: '6',
    turnsRed: ['stream-error.model'],
    description: 'The in-band error event has no model',
    hardness: 'plain',
    override: member('model', undefined),
  },
  {
    id: 'stream-error.model-as-object',
    section: '6',
    turnsRed: ['stream-error.model'],
    description: 'model is an object',
    hardness: 'plain',
    override: member('model', { id: 'acme/tiny:free' }),
  },
  {
    id: 'stream-error.provider-missing',
    section: '6',
    turnsRed: ['stream-error.provider'],
    description: 'The in-band error event has no provider',
    hardness: 'plain',
    override: member('provider', undefined),
  },
  {
    id: 'stream-error.provider-null',
    section: '6',
    turnsRed: ['stream-error.provider'],
    description: 'provider is null',
    hardness: 'plain',
    override: member('provider', null),
  },
  {
    id: 'stream-error.provider-as-list',
    section: '6',
    turnsRed: ['stream-error.provider'],
    description: 'provider is the list of the providers tried',
    hardness: 'plain',
    override: member('provider', ['Acme', 'Borealis']),
  },
  {
    id: 'stream-error.error-missing',
    section: '6',
    turnsRed: ['stream-error.error'],
    description: 'The last chunk has the finish_reason error and no error member',
    hardness: 'plain',
    override: member('error', undefined),
  },
  {
    id: 'stream-error.error-as-string',
    section: '6',
    turnsRed: ['stream-error.error'],
    description: 'error is a string',
    hardness: 'plain',
    override: member('error', 'Rate limit exceeded'),
  },
  {
    id: 'stream-error.error-as-array',
    section: '6',
    turnsRed: ['stream-error.error'],
    description: 'error is an array of one error',
    hardness: 'plain',
    override: errorEvent((event) => ({ ...event, error: [event.error] })),
  },
  {
    id: 'stream-error.code-as-string',
    section: '6',
    turnsRed: ['stream-error.error.code'],
    description: 'error.code is a number in a string',
    hardness: 'plain',
    override: errorMember('code', '429'),
  },
  {
    id: 'stream-error.code-as-word',
    section: '6',
    turnsRed: ['stream-error.error.code'],
    description: 'error.code is a word',
    hardness: 'plain',
    override: errorMember('code', 'rate_limit_exceeded'),
  },
  {
    id: 'stream-error.code-missing',
    section: '6',
    turnsRed: ['stream-error.error.code'],
    description: 'The in-band error event has no error.code',
    hardness: 'plain',
    override: errorMember('code', undefined),
  },
  {
    id: 'stream-error.code-null',
    section: '6',
    turnsRed: ['stream-error.error.code'],
    description: 'error.code is null',
    hardness: 'plain',
    override: errorMember('code', null),
  },
  {
    id: 'stream-error.message-missing',
    section: '6',
    turnsRed: ['stream-error.error.message'],
    description: 'The in-band error event has no error.message',
    hardness: 'plain',
    override: errorMember('message', undefined),
  },
  {
    id: 'stream-error.message-null',
    section: '6',
    turnsRed: ['stream-error.error.message'],
    description: 'error.message is null',
    hardness: 'plain',
    override: errorMember('message', null),
  },
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
