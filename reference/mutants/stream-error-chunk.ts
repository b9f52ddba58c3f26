import { everyday, type Mutant, makeMutants, subtle } from '../mutant.js';
import { editErrorEvent, type Mutation, setMember } from '../mutation.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';

/** Mutants of the area stream-error: a member of the chunk is missing or is not what §6 says. */
export const streamErrorChunkMutants: readonly Mutant[] = [
  ...omitEach(['id', 'object', 'created', 'model', 'provider'], setTopMember),
  ...omitEach(['message'], setErrorMember, 'error.'),
  ...omitEach(['index', 'delta'], setChoiceMember, 'choices.'),
  ...makeMutants('stream-error.choices.finish_reason', {
    'stream-error.finish-reason-stop': everyday.plain(
      'The error event has the finish_reason "stop"',
      setChoiceMember('finish_reason', 'stop'),
    ),
    'stream-error.finish-reason-upper-case': subtle(
      'The finish_reason of the choice is ERROR',
      setChoiceMember('finish_reason', 'ERROR'),
    ),
  }),
  ...makeMutants('stream-error.created', {
    'stream-error.created-fraction': subtle(
      'created has a fraction of a second',
      setTopMember('created', 1_762_162_200.25),
    ),
  }),
  ...makeMutants('stream-error.error', {
    'stream-error.error-missing': everyday.plain(
      'The last chunk has the finish_reason error and no error member',
      setTopMember('error', undefined),
      ['inference.502.provider-response', 'stream-error.other-errors'],
    ),
  }),
  ...makeMutants('stream-error.error.code', {
    'stream-error.code-as-string': everyday.plain(
      'error.code is a number in a string',
      setErrorMember('code', '429'),
      ['inference.502.provider-response', 'stream-error.other-errors'],
    ),
  }),
  ...makeMutants('stream-error.choices', {
    'stream-error.choices-missing': everyday.plain(
      'The error event has no choices',
      setTopMember('choices', undefined),
    ),
    'stream-error.choices-two': subtle(
      'choices has two objects',
      editChoices((choice) => [choice, { ...choice, index: 1 }]),
    ),
  }),
  ...makeMutants('stream-error.choices.delta', {
    'stream-error.content-missing': subtle('The delta of the choice is empty', setChoiceMember('delta', {})),
  }),
];

/** Mutants whose error event lacks a member each; `area` is where in the chunk it is. */
function omitEach(
  fields: readonly string[],
  set: (field: string, value: undefined) => Mutation,
  area = '',
): readonly Mutant[] {
  return fields.flatMap((field) =>
    makeMutants(`stream-error.${area}${field}`, {
      [`stream-error.${field}-missing`]: everyday.plain(
        `The error event has no ${area}${field}`,
        set(field, undefined),
      ),
    }),
  );
}

/** One member of the chunk is another value; undefined leaves it out. */
function setTopMember(field: string, value: unknown): Mutation {
  return editErrorEvent((event) => setMember(event, field, value));
}

/** One member of the chunk's error is another value; undefined leaves it out. */
function setErrorMember(field: string, value: unknown): Mutation {
  return editErrorEvent((event) => ({
    ...event,
    error: isJsonObject(event.error) ? setMember(event.error, field, value) : event.error,
  }));
}

/** The chunk's choices are made otherwise from the one that is due. */
function editChoices(change: (choice: JsonObject) => unknown): Mutation {
  return editErrorEvent((event) => {
    const [choice] = Array.isArray(event.choices) ? (event.choices as readonly unknown[]) : [];
    return isJsonObject(choice) ? { ...event, choices: change(choice) } : event;
  });
}

/** One member of the chunk's choice is another value; undefined leaves it out. */
function setChoiceMember(field: string, value: unknown): Mutation {
  return editChoices((choice) => [setMember(choice, field, value)]);
}
