import { spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readCanaries } from '../../cli/recordings.js';
import { summarizeObserved } from '../../recordings/observed-results.js';
import { folder } from '../folders.js';
import {
  infer,
  judgeRecording,
  makeEntry,
  makeEnvelope,
  makeHar,
  makeKeyData,
  readKey,
  remove,
  writeRecording,
} from '../recordings/recorded.js';
import { findCheck, findRow, listFailures } from '../report-rows.js';
import { serveReference } from '../servers.js';
import {
  command,
  listWords,
  plumbline,
  readReport,
  runInto,
  sharedCommand,
  type Words,
} from './plumbline-process.js';

const good = makeEntry(readKey({ body: makeKeyData() }));
const wrong = makeEntry(remove({ status: 404, body: makeEnvelope(400) }));

const recording = (content: string) => writeRecording('traffic.har', content);

async function observe(args: Words) {
  const directory = join(folder(), 'reports');
  const ended = await plumbline(['observe', ...listWords(args), '--report', directory]);
  return { ...ended, directory, words: ended.stdout.replace(/\s+/g, ' ') };
}

async function runNode(args: readonly string[], input = Buffer.alloc(0)): Promise<unknown> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', resolve));
}

it('observe judges recordings, writes the report and says what was and was not judged', async () => {
  const elsewhere = makeEntry(readKey({ path: 'https://other.test/', body: 'x' }));
  const file = recording(makeHar([good, elsewhere, makeEntry(infer({ body: { id: 'x' } }))]));
  const args = `${file} ${file} --inference-path /chat/completions`;
  const { code, words, stderr, directory } = await observe(args);
  expect([code, stderr]).toEqual([4, '']);
  expect(words).toMatch(/^incomplete: \d+ must requirements inconclusive or not exercised /);
  const counts =
    '6 exchanges in 2 files; 4 judged of https://api.example.test/v1, 2 with other hosts or paths';
  for (const text of [counts, 'Nothing was sent']) expect(words).toContain(text);
  const { run, target, verdict, gate } = readReport(directory);
  expect([verdict, gate.exit_code, run.complete, run.requests]).toEqual(['incomplete', 4, true, 0]);
  expect(target).toEqual({ base_url: 'https://api.example.test/v1', control: false });
  expect(run.recording).toMatchObject({ files: [file, file], entries: 6, judged: 4, elsewhere: 2 });
});

it('observe ends with 1 on a violation and names its file, entry, section and command', async () => {
  const file = writeRecording("it's a recording.har", makeHar([good, wrong]));
  const { code, stdout, words, directory } = await observe([file]);
  expect([code, words]).toEqual([1, expect.stringContaining(`log.entries[1] of ${file}`)]);
  expect(stdout).toContain('must  envelope.error.code-is-status  §2.4');
  const line = /^ *plumbline (observe .*)$/m.exec(stdout)?.[1] ?? '';
  const script = `"${process.execPath}" "${sharedCommand()}" ${line} --quiet --report "${directory}"`;
  const again = spawn('sh', ['-c', script], { stdio: 'ignore' });
  expect(await new Promise((resolve) => again.on('close', resolve))).toBe(1);
  expect(readReport(directory).run.selection.only).toEqual(['envelope.error.code-is-status']);
});

it('observe ends with 0 if every selected requirement passed', async () => {
  const { code, stdout } = await observe(`${recording(makeHar([good]))} --only key-info.field.* --quiet`);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^conformant \(/)]);
});

it('observe ends with 3 if no recorded answer is from the target', async () => {
  const file = recording(makeHar([good]));
  const { code, words, directory } = await observe(`${file} --target https://other.test/v1`);
  expect([code, words]).toEqual([
    3,
    expect.stringMatching(/^unjudged: .* with https:\/\/other\.test\/v1.*--target/),
  ]);
  expect(readReport(directory).verdict).toBe('unjudged');
});

const noBody = makeEntry(readKey({ raw: { response: { status: 200, content: { size: 9 } } } }));
const lost = makeEntry(readKey({ status: 0 }));
const gateway = makeEntry(remove({ status: 502, body: '<html>', type: 'text/html' }));
const ofTarget = 'none of the 3 exchanges with https://api.example.test/v1 could be judged: 1 possibly not';

it.each<readonly [string, string, RegExp]>([
  ['holds no exchange', makeHar([]), /no exchange is recorded in \S+traffic\.har/],
  [
    'has lines that are no exchanges',
    '{"metric":1}\n{}',
    /none of the 2 entries is an exchange: .*it has no request/,
  ],
  ['has no complete response of the service', makeHar([gateway, lost, noBody]), new RegExp(ofTarget)],
])('observe says why it judges nothing if a recording %s', async (_, content, words) => {
  const ended = await observe([recording(content)]);
  expect([ended.code, ended.words]).toEqual([3, expect.stringMatching(words)]);
  expect(ended.words).not.toContain('--target');
});

it.each<readonly [string, string | Buffer, RegExp]>([
  ['a ZIP archive', 'PK\u0003\u0004', /is a ZIP archive; unpack it/],
  ['UTF-16', Buffer.from(`\uFEFF${makeHar([good])}`, 'utf16le'), /is UTF-16; save it as UTF-8/],
  ['UTF-16 without a mark', Buffer.from(makeHar([good]), 'utf16le'), /is UTF-16; save it as UTF-8/],
])('observe names the format of a file that is %s', async (_, content, words) => {
  const { code, stderr } = await observe([writeRecording('traffic.har', content)]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
});

it('observe names a file that does not exist, as such', async () => {
  const { code, stderr } = await observe('nope.har');
  expect([code, stderr]).toEqual([2, 'plumbline: nope.har does not exist; check the path.\n']);
});

it('observe calls no recording conformant of which it could not read all', async () => {
  const broken = recording(makeHar([good, good]).slice(0, -30));
  const { code, words } = await observe(`${broken} --only key-info.field.*`);
  expect([code, words]).toEqual([
    2,
    expect.stringMatching(/^unjudged: .* is broken .*unjudged; exit code 2 $/),
  ]);
});

it('observe reads compressed standard input', async () => {
  const directory = join(folder(), 'reports');
  const args = [command, 'observe', '-', '--report', directory];
  expect(await runNode(args, gzipSync(makeHar([wrong])))).toBe(1);
  const [failure] = listFailures(readReport(directory));
  expect(failure?.message).toContain('log.entries[0] of the standard input');
  expect(failure?.reproduce.command).toMatch(/ -$/);
});

it.each([
  ['observe', [good, makeEntry(readKey({ path: 'https://b.test/v1/key', body: makeKeyData() }))], '--target'],
  ['run --reference --observed', [good], 'breaks off'],
])('%s refuses a recording that it cannot judge as a usage error', async (args, entries, named) => {
  const file = recording(makeHar(entries).slice(0, args === 'observe' ? undefined : -9));
  const { code, stdout, stderr } = await plumbline(`${args} ${file}`, { cwd: folder() });
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(named)]);
  expect(stderr).toMatch(/^[^\n]+\n(?:[^\n]+\n)?$/);
});

it('observe judges the readable part of a broken recording, names the fault and ends with 2 without a report', async () => {
  const text = makeHar([good, good]);
  const file = recording(text.slice(0, -30));
  const { code, words, stderr, directory } = await observe(file);
  expect(code).toBe(2);
  expect(stderr).toContain(`${file} is broken at byte ${text.length - 30}: it breaks off in log.entries[1].`);
  expect(words).toContain('1 exchange in 1 file; 1 judged');
  expect(words).toMatch(/exit code 2\s*$/);
  expect(existsSync(directory)).toBe(false);
});

it('observe ends with 1 on a violation in the readable part and reports that the run is incomplete', async () => {
  const { code, stderr, directory } = await observe(recording(makeHar([wrong, good]).slice(0, -30)));
  expect([code, stderr]).toEqual([1, expect.stringContaining('log.entries[1]')]);
  const { run } = readReport(directory);
  expect([run.complete, run.notes.join()]).toEqual([false, expect.stringContaining('log.entries[1]')]);
});

it('observe needs no more memory for a long recording than for a short one', async () => {
  const file = join(folder(), 'long.har');
  const out = createWriteStream(file);
  const filler = makeEntry(readKey({ path: 'https://cdn.test/x', body: 'x "quoted" \\ '.repeat(300) }));
  const block = [good, wrong, filler, filler].map((one) => JSON.stringify(one)).join(',');
  out.write('{"log":{"entries":[');
  for (let written = 0; written < 12_000_000; written += block.length + 1) out.write(`${block},`);
  out.end(`${block}]}}`);
  await finished(out);
  // Judging a short recording takes 23 MB of heap. This one has 12 MB of text, which must not be kept in memory.
  const args = ['--max-old-space-size=32', command, 'observe', file, '--quiet', '--report', folder()];
  expect(await runNode(args)).toBe(1);
});

it('run --observed marks what only a recording shows, and violations in it count', async () => {
  // This server cannot simulate a timeout.
  const { controlUrl } = await serveReference({ capabilities: { faults: [] } });
  const late = remove({ status: 504, body: makeEnvelope(504) });
  const file = recording(makeHar([makeEntry(late), wrong]));
  const only = ['vault-delete.504.timeout', 'key-info.200.read', 'envelope.error.code-is-status'];
  const selected = only.map((id) => ` --only ${id}`).join('');
  const run = await runInto(`--control ${controlUrl} --depth quick --cases 1${selected} --observed ${file}`);
  const report = run.report();
  expect(findRow(report, 'vault-delete.504.timeout')).toMatchObject({
    ...{ status: 'pass', observed: true, reason: 'observed in recorded traffic: vault-delete.504 once' },
    checks: expect.arrayContaining(['vault-delete.504.timeout/observed']),
  });
  expect(findRow(report, 'key-info.200.read')).toMatchObject({ status: 'pass' });
  expect(findRow(report, 'key-info.200.read')).not.toHaveProperty('observed');
  expect(findRow(report, 'envelope.error.code-is-status')).toMatchObject({ status: 'fail', observed: true });
  expect([run.code, report.verdict]).toEqual([1, 'non-conformant']);
  const check = findCheck(report, 'envelope.error.code-is-status/observed');
  expect(check.failure).toMatchObject({ confirmed: '1/1', counterexample: { file, entry: 1 } });
  expect(check.failure?.reproduce.command).toBe(
    `plumbline observe --target https://api.example.test/v1 --inference-path /chat/completions --only envelope.error.code-is-status ${file}`,
  );
  expect(report.run.recording).toMatchObject({ base_url: 'https://api.example.test/v1', judged: 2 });
  expect(run.stdout).toContain('Recorded traffic: 2 exchanges');
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
