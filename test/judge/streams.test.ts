import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { dispatchesError, findErrorChunk, watchForError } from '../../judge/answer-rules.js';
import { type Answer, isFrames } from '../../reference/behaviour.js';
import { behaveAsVariant, replaceAnswers, sendOtherwise } from '../behaviours.js';
import { findCheck, idsWith } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

const areas = ['stream-error.*', 'credit-limit.*'];
const inBand = behaveAsVariant('stream-refusals-in-band');

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const isStream = ({ body }: Answer) => isFrames(body);
const tellsOfError = ({ body }: Answer) => isFrames(body) && JSON.stringify(body).includes('"error":{');

function begin(response: ServerResponse, { status, headers }: Answer, events: string): void {
  response.writeHead(status, headers).write(events);
}

it.concurrent('a stream that ends without an error event is not a refusal', async () => {
  const { report } = await judgeReference({
    only: ['credit-limit.exhausted'],
    depth: 'quick',
    behaviour: {
      ...inBand,
      ...replaceAnswers(tellsOfError, () => ({
        status: 200,
        headers: { 'Content-Type': 'text/event-stream' },
        body: [{ data: '[DONE]' }],
      })),
    },
  });
  expect(findCheck(report, 'credit-limit.overdrawn.paid/chain').failure).toMatchObject({
    actual: '200 and no error event',
  });
});

it.concurrent('an error event in a stream that never ends is read', async () => {
  const { report } = await judgeReference({
    only: areas,
    depth: 'quick',
    timeoutMs: 20_000,
    behaviour: {
      ...inBand,
      ...sendOtherwise(tellsOfError, (response, answer) => {
        const frames = isFrames(answer.body) ? answer.body : [];
        begin(
          response,
          answer,
          frames.map((frame) => ('data' in frame ? event(frame.data) : ': wait\n\n')).join(''),
        );
      }),
    },
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(report.verdict).toBe('conformant');
  expect(report.run.duration_ms).toBeLessThan(20_000);
});

it.concurrent('an error event that never comes is a violation once the timeout is over', async () => {
  const { report, worldsLeft } = await judgeReference({
    only: ['stream-error.status', 'stream-error.event'],
    depth: 'quick',
    timeoutMs: 1_000,
    behaviour: sendOtherwise(
      (answer) => isStream(answer) && !JSON.stringify(answer.body).includes('[DONE]'),
      (response, answer) => begin(response, answer, ': processing\n\n'),
    ),
  });
  expect(report.verdict).toBe('non-conformant');
  expect(worldsLeft).toBe(0);
});

const error = { error: { code: 429, message: 'x' } };

const finished = { choices: [{ finish_reason: 'error' }] };

it.concurrent.each([
  ['a chunk with an error', event(error), error],
  ['a chunk that finished for one', event(finished), finished],
  ['one among others', `: hello\n\n${event({ choices: [] })}${event(error)}data: [DONE]\n\n`, error],
  ['one spread over data lines', 'data: {"error":\ndata: {}}\n\n', { error: {} }],
  ['one with a name and an id', `event: error\nid: 7\n${event(error)}`, error],
  ['one that is not yet ended', 'data: {"error":{}}', { error: {} }],
  ['one with the line ends of Windows', event(error).replaceAll('\n', '\r\n'), error],
  ['one with the line ends of old Macs', event(error).replaceAll('\n', '\r'), error],
])('the error chunk of a stream can be %s', (_name, text, found) => {
  expect(findErrorChunk(text)).toEqual(found);
});

it.concurrent.each([
  ['an error that is null', event({ error: null, choices: [{ finish_reason: 'stop' }] })],
  ['a comment', ': {"error":{}}\n\n'],
  ['no data line', JSON.stringify(error)],
  ['JSON that is cut short', 'data: {"error":{\n\n'],
  ['a list', event([error])],
])('the error chunk of a stream is never %s', (_name, text) => {
  expect(findErrorChunk(text)).toBeUndefined();
});

it.concurrent.each([
  ['an event', event(error), true],
  ['an event with the line ends of old Macs', event(error).replaceAll('\n', '\r'), true],
  ['an event after a byte order mark', `\ufeff${event(error)}`, true],
  ['an event without a blank line', event(error).trimEnd(), false],
  ['an event after the end', `data: [DONE]\n\n${event(error)}`, false],
])('a client receives the error or not: %s', (_name, text, isReceived) => {
  expect(dispatchesError(text)).toBe(isReceived);
});

it.concurrent('an error chunk of a running stream is complete only after its blank line', () => {
  expect(watchForError()(event(error))).toBe(true);
  expect(watchForError()(event(error).trimEnd())).toBe(false);
  expect(watchForError()(`\ufeff${event(error)}`)).toBe(true);
  const watch = watchForError();
  expect([...event(error)].map(watch).indexOf(true)).toBe(event(error).length - 1);
});
