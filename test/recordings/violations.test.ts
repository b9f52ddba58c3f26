import { expect, it } from 'vitest';
import { requirement } from '../../spec/ledger.js';
import { compileSchema } from '../spec/schemas.js';
import {
  judgeRecording,
  key,
  makeEntry,
  makeEnvelope,
  makeHar,
  makeKeyData,
  observe,
  readKey,
  remove,
  writeRecording,
} from './recorded.js';
import { storedValue, violating } from './violating-exchanges.js';

it('a report of one violation of each kind gives file, entry and section, and nothing else fails', async () => {
  const spec = violating.flatMap(([, exchange]) => [exchange, readKey({ body: makeKeyData() })]);
  const file = writeRecording('forty.har', makeHar(spec.map(makeEntry)));
  const { failures, report } = await judgeRecording([file], { canaries: [storedValue] });
  const found = failures.map(({ requirement: id, counterexample, message, confirmed, reproduce }) => {
    const { section } = requirement(id);
    expect(counterexample).toMatchObject({ file, section });
    expect(message).toContain(`log.entries[${String(counterexample.entry)}] of ${file}`);
    expect(message).toContain(`(§${section})`);
    expect(confirmed).toBe('1/1');
    expect(reproduce.command).toContain(`--only ${id} ${file}`);
    expect(JSON.stringify(reproduce)).not.toContain(key);
    return `${String(counterexample.entry)} ${id}`;
  });
  const wanted = violating.map(([id], at) => `${2 * at} ${id}`);
  expect([...found].sort()).toEqual([...wanted].sort());
  expect(violating.length).toBeGreaterThanOrEqual(40);
  expect([report.verdict, report.gate.exit_code]).toEqual(['non-conformant', 1]);
});

it('a violation on a line of JSON has its line number', async () => {
  const body = '{"error":{"code":400,"message":"x"}}';
  const line = {
    ...{ at: '2026-03-04T12:00:00Z', duration_ms: 4 },
    request: { method: 'GET', url: 'https://api.example.test/v1/key', headers: {} },
    response: { status: 401, headers: { 'content-type': 'application/json' }, body },
  };
  const file = writeRecording('traffic.ndjson', `\n${JSON.stringify(line)}\n`);
  const { failures } = await judgeRecording([file]);
  expect(failures.map(({ requirement: id }) => id)).toEqual(['envelope.error.code-is-status']);
  expect(failures[0]?.counterexample).toMatchObject({ file, entry: 0, line: 2 });
  expect(failures[0]?.message).toContain(`line 2 of ${file}`);
});

it('the violations of a requirement are listed up to a limit, and the rest are counted', async () => {
  const wrong = readKey({ status: 401, body: { error: { code: 400, message: 'x' } } });
  const { report } = await observe(Array.from({ length: 70 }, () => wrong));
  const check = report.checks.find(({ id }) => id === 'envelope.error.code-is-status/observed');
  expect(check).toMatchObject({ outcome: 'fail', cases: 70, classes: { 'key-info.401': 70 } });
  expect(check?.further_failures).toHaveLength(49);
  expect(check?.reason).toContain('20 more');
});

it('the exchanges of a report are valid lines of recorded traffic, and the recorded elements here those of a HAR', async () => {
  const { failures } = await observe([remove({ status: 404, body: makeEnvelope(400) })]);
  const exchanges = failures.flatMap((failure) => failure.exchanges);
  const validate = compileSchema('observed');
  expect(exchanges.map((one) => validate(one))).toEqual([true]);
  expect(validate({ ...exchanges[0], request: { method: 'GET' } })).toBe(false);
  expect(compileSchema('har-entry')(makeEntry(remove({ status: 204 })))).toBe(true);
});
