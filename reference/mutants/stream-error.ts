import { type Answer, type Call, type FaultRule, type Frame, isFrames } from '../behaviour.js';
import { findMidStreamRule } from '../faults.js';
import { everyday, type MutantRows, plain, subtle } from '../mutant.js';
import {
  countUp,
  editAnswer,
  editErrorEvent,
  type Mutation,
  setHeaders,
  setMember,
  type Where,
} from '../mutation.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';

const brokenStreams = breaksOf('alone');
const afterDone: StreamChange = (before, event) => [...before, { data: '[DONE]' }, { data: event }];

/** Mutants of the area stream-error: the members of the chunk (§6), and the event as a whole. */
export const streamErrorMutants: MutantRows = {
  ...omitEach(
    ...['id', 'object', 'created', 'model', 'provider', 'error.message', 'choices.index'],
    ...['choices.delta'],
  ),
  'stream-error.other-errors-as-429': plain('stream-error.other-errors', 'inference.502.provider-response')(
    'Whatever breaks a stream, the in-band event says 429',
    editErrorEvent((event) => ({ ...event, error: { code: 429, message: 'Try again later' } })),
  ),
  'stream-error.finish-reason-stop': everyday.plain('stream-error.choices.finish_reason')(
    'The error event has the finish_reason "stop"',
    setPart('choices.finish_reason', 'stop'),
  ),
  'stream-error.created-fraction': subtle('stream-error.created')(
    'created has a fraction of a second',
    editErrorEvent((event) => setMember(event, 'created', 1_762_162_200.25)),
  ),
  'stream-error.error-missing': everyday.plain('stream-error.error')(
    'The last chunk has the finish_reason error and no error member',
    editErrorEvent((event) => setMember(event, 'error', undefined)),
  ),
  'stream-error.code-as-string': everyday.plain('stream-error.error.code')(
    'error.code is a number in a string',
    setPart('error.code', '429'),
  ),
  'stream-error.choices-missing': everyday.plain('stream-error.choices')(
    'The error event has no choices',
    editErrorEvent((event) => setMember(event, 'choices', undefined)),
  ),
  'stream-error.choices-two': subtle('stream-error.choices')(
    'choices has two objects',
    editChoices((choice) => [choice, { ...choice, index: 1 }]),
  ),
  'stream-error.content-missing': subtle('stream-error.choices.delta')(
    'The delta of the choice is empty',
    setPart('choices.delta', {}),
  ),
  'stream-error.status-429': everyday.plain('stream-error.status')(
    'A stream that is hit by an error later on gets 429 as a whole',
    editAnswer(brokenStreams, (_answer, call) =>
      call.behaviour.refuse(call, { status: 429, message: 'Rate limit exceeded' }),
    ),
  ),
  'stream-error.media-type-json': everyday.plain('stream-error.media-type')(
    'A stream that breaks is announced as application/json',
    setHeaders(brokenStreams, { 'Content-Type': 'application/json' }),
  ),
  'stream-error.event-missing': everyday.plain('stream-error.event')(
    'A stream that breaks ends without a word',
    editLastFrame(() => ({ comment: 'closed' })),
  ),
  'stream-error.after-done': subtle('stream-error.event')(
    'The error event follows [DONE]',
    editBrokenStream(afterDone),
  ),
  'stream-error.other-errors-after-done': subtle('stream-error.event')(
    'The error event of an invalid response of the provider follows [DONE]',
    editBrokenStream(afterDone, breaksOf('streamed')),
  ),
  'stream-error.every-second-without-provider': everyday.intermittent('stream-error.provider')(
    'Every second in-band error event has no provider',
    editLastFrame((event, call) => ({
      data: countUp(call, 'broken streams') % 2 === 0 ? setMember(event, 'provider', undefined) : event,
    })),
  ),
};

/** Makes mutants whose error event lacks a member each: of the chunk, or of its error or choice. */
function omitEach(...paths: readonly string[]): MutantRows {
  return Object.fromEntries(
    paths.map((path) => [
      `stream-error.${path.replace(/^.*\./, '')}-missing`,
      everyday.plain(`stream-error.${path}`)(`The error event has no ${path}`, setPart(path, undefined)),
    ]),
  );
}

/** Sets a member of the chunk, or of its error or choice; undefined removes it. */
function setPart(path: string, value: unknown): Mutation {
  const [part, field = ''] = path.split('.');
  if (part === 'choices') return editChoices((choice) => [setMember(choice, field, value)]);
  return editErrorEvent((event) =>
    part === 'error'
      ? { ...event, error: setMember(event.error as JsonObject, field, value) }
      : setMember(event, path, value),
  );
}

/** Replaces the chunk's choices by what is made of the one that is due. */
function editChoices(change: (choice: JsonObject) => unknown): Mutation {
  return editErrorEvent((event) => {
    const [choice] = Array.isArray(event.choices) ? (event.choices as readonly unknown[]) : [];
    return isJsonObject(choice) ? { ...event, choices: change(choice) } : event;
  });
}

function editLastFrame(frame: (event: JsonObject, call: Call) => Frame): Mutation {
  return editBrokenStream((before, event, call) => [...before, frame(event, call)]);
}

/** The streams that faults of one kind break. */
function breaksOf(midStream: FaultRule['midStream']): Where {
  const when: Where['when'] = (call, { body }) =>
    isFrames(body) && findMidStreamRule(call)?.midStream === midStream;
  return { operation: 'inference', when };
}

/** Makes the body of a stream from the frames before its error event and the event. */
type StreamChange = (before: readonly Frame[], event: JsonObject, call: Call) => Answer['body'];

function editBrokenStream(change: StreamChange, where = brokenStreams): Mutation {
  return editAnswer(where, (answer, call) => {
    if (!isFrames(answer.body)) return answer;
    const last = answer.body.at(-1);
    const event = last !== undefined && 'data' in last && isJsonObject(last.data) ? last.data : {};
    return { ...answer, body: change(answer.body.slice(0, -1), event, call) };
  });
}
