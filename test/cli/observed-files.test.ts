import { expect, it } from 'vitest';
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

it('standard input given twice is a usage error', async () => {
  await expect(assertReadable(['-', '-'])).rejects.toThrow(UsageError);
});

it('flags about recordings without a recording are usage errors', async () => {
  const about = { observed: [], observedTarget: 'https://b.test/v1' };
  await expect(assertObserved(about)).rejects.toThrow('--observed-target');
  await expect(assertObserved({ observed: [], canaryFile: 'f' })).rejects.toThrow('--canary-file');
});

it('a file with a short secret value is refused without showing a value', async () => {
  const reading = readCanaries(writeRecording('short.txt', '\uFEFFlong-enough\r\n\r\nshort\r\n'));
  await expect(reading).rejects.toThrow('short.txt:3 is shorter');
  await expect(reading).rejects.not.toThrow(/long-enough|short\b(?!er|\.txt)/);
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
  const facts = { isOnly: false, baseUrl: undefined, files: [], command: () => 'plumbline observe' };
  expect(summarizeObserved(judge, facts).vote('envelope.json-object')).toBeUndefined();
  const both = (await judgeRecording([writeRecording('b.har', makeHar([page, held]))])).judge;
  expect(summarizeObserved(both, facts).vote('envelope.json-object')).toEqual({
    status: 'pass',
    reason: 'observed in recorded traffic: one answer',
    reason_code: 'recorded',
  });
});
