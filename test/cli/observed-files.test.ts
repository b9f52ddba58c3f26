import { describe, expect, it } from 'vitest';
import { assertObserved, assertReadable, readCanaries } from '../../cli/recordings.js';
import { summarizeObserved } from '../../recordings/observed-results.js';
import { UsageError } from '../../spec/thrown.js';
import {
  judgeRecording,
  makeEntry,
  makeEnvelope,
  makeHar,
  makeKeyData,
  readKey,
  remove,
  writeRecording,
} from '../recordings/recorded.js';

const good = makeEntry(readKey({ body: makeKeyData() }));

/** Returns the message with which a command is refused. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  return error instanceof Error ? error.message : '';
}

describe('unusable files', () => {
  it('a missing recording, and standard input given twice, are usage errors', async () => {
    expect(await refusal(assertReadable(['no-such.har']))).toContain('no-such.har');
    expect(await refusal(assertReadable(['-', '-']))).toContain('once');
  });

  it('flags about recordings without a recording are usage errors', async () => {
    const about = { observed: [], observedTarget: 'https://b.test/v1' };
    expect(await refusal(assertObserved(about))).toContain('--observed-target');
    expect(await refusal(assertObserved({ observed: [], canaryFile: 'f' }))).toContain('--canary-file');
  });

  it('a file of secret values that is missing, empty or has a short value is refused without showing the value', async () => {
    expect(await refusal(readCanaries('no-such.txt'))).toContain('no-such.txt');
    expect(await refusal(readCanaries(writeRecording('none.txt', '\n\n')))).toContain('none.txt is empty');
    const message = await refusal(
      readCanaries(writeRecording('short.txt', '\uFEFFlong-enough\r\n\r\nshort\r\n')),
    );
    expect(message).toContain('short.txt:3 is shorter');
    expect(message).not.toMatch(/long-enough|short\b(?!er|\.txt)/);
  });
});

it('an invalid recording does not keep the others from being judged', async () => {
  const none = writeRecording('none.har', 'no recording');
  const { judge } = await judgeRecording([none, writeRecording('good.har', makeHar([good]))]);
  expect(judge.counts.judged).toBe(1);
  expect(judge.breaks).toEqual([expect.stringContaining(`${none} is not a recording`)]);
});

it('a recorded answer beside a run is evidence only if it decides something', async () => {
  const page = makeEntry(remove({ status: 502, body: '<html>', type: 'text/html' }));
  const held = makeEntry(remove({ status: 504, body: makeEnvelope(504) }));
  const { judge } = await judgeRecording([writeRecording('a.har', makeHar([page]))]);
  const facts = { alone: false, baseUrl: undefined, files: [], command: () => 'plumbline observe' };
  expect(summarizeObserved(judge, facts).vote('envelope.json-object')).toBeUndefined();
  const both = (await judgeRecording([writeRecording('b.har', makeHar([page, held]))])).judge;
  expect(summarizeObserved(both, facts).vote('envelope.json-object')).toEqual({
    status: 'pass',
    reason: 'observed in recorded traffic: one answer',
    reason_code: 'recorded',
  });
});
