import { describe, expect, it } from 'vitest';
import { reportExchange } from '../../judge/evidence.js';
import { PassiveJudge } from '../../judge/passive.js';
import { observedIds as furtherIds } from '../../recordings/observed-rules.js';
import { renderHar } from '../../reports/har.js';
import { requirement } from '../../spec/ledger.js';
import type { Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import type { Exchange } from '../../targets/exchange.js';
import { judgeReference } from '../judge/judge-reference.js';
import { idsWith } from '../report-rows.js';
import { compileSchema } from '../spec/schemas.js';
import { permitted } from './permitted-exchanges.js';
import {
  fail,
  infer,
  intern,
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

const observedIds = [...PassiveJudge.requirements, ...furtherIds];

it.each(permitted)('a permitted answer is not a violation: %s (%s)', async (_, sort, spec) => {
  const { judge } = await observe([spec], ['never-in-an-answer']);
  expect(observedIds.filter((id) => (judge.rows.row(id)?.violated ?? 0) > 0)).toEqual([]);
  expect(judge.counts[sort]).toBe(1);
  expect(judge.entries).toBe(1);
});

describe('answers that a proxy may have sent', () => {
  const page = remove({ status: 504, body: '<html>', type: 'text/html' });

  it("a proxy's page leaves its requirement inconclusive with its place, although other answers passed", async () => {
    const { report } = await observe([remove(fail(404)), page]);
    const row = report.requirements.find(({ id }) => id === 'envelope.json-object');
    expect(row).toMatchObject({ status: 'inconclusive', observed: true });
    expect(row?.reason).toContain('log.entries[1]');
  });

  it("a proxy's page makes no requirement pass", async () => {
    const { report } = await observe([page]);
    expect(idsWith(report, 'pass').filter((id) => !id.startsWith('secrecy.'))).toEqual([]);
  });

  it("a proxy's page that contains a stored value is a violation", async () => {
    const leak = remove({ status: 504, body: '<html>a-stored-value', type: 'text/html' });
    const { failures } = await observe([leak], ['a-stored-value']);
    expect(failures.map(({ requirement }) => requirement)).toEqual(['secrecy.body']);
  });
});

it.each([
  [remove(fail(408)), ['vault-delete.408.timeout']],
  [remove(fail(429)), ['vault-delete.429.rate-limited']],
  [remove(fail(500)), ['vault-delete.500.scope-lookup']],
  [remove(fail(502)), ['vault-delete.502.bad-response', 'vault-delete.502.unreachable']],
  [remove(fail(503)), ['vault-delete.503.not-configured', 'vault-delete.503.writes-disabled']],
  [remove(fail(504)), ['vault-delete.504.timeout']],
  [remove({ status: 204, headers: { Date: 'x' } }), ['vault-delete.204.deleted', 'vault-delete.204.no-body']],
  [infer(fail(502)), ['inference.502.model-down']],
  [infer(fail(503)), ['inference.503.no-provider']],
  [infer({ body: { id: 'x' } }), ['inference.routed', 'rate-limit.success-headers']],
  [readKey({ body: makeKeyData() }), ['key-info.200.read', 'key-info.limit-pair', 'key-info.usage.nested']],
])('a recorded answer decides the expected requirements: %j', async (spec, rows) => {
  const { report } = await observe([spec]);
  const held = idsWith(report, 'pass').filter(
    (id) => !/^(?:envelope|secrecy|key-info\.(?:field|200\.data))|status-documented/.test(id),
  );
  expect([...held].sort()).toEqual(rows);
});

it('an error outside the envelope decides only the requirements that it violates', async () => {
  const { report } = await observe([remove({ status: 504, body: { error: 'timed out' } })]);
  expect(idsWith(report, 'pass')).not.toContain('vault-delete.504.timeout');
  expect(idsWith(report, 'fail')).toContain('envelope.error');
});

it('the target is inferred if exactly one base URL ends with v1', async () => {
  const other = makeEntry(readKey({ path: 'https://x.test/assets/key', body: makeKeyData() }));
  const { report } = await judgeRecording(
    [writeRecording('a.har', makeHar([other, makeEntry(readKey({ body: makeKeyData() }))]))],
    { baseUrl: undefined },
  );
  expect(report.run.recording).toMatchObject({ judged: 1, elsewhere: 1 });
});

it.each([
  ['before the first operation', [readKey({ body: makeKeyData() })], 2],
  ['alone', [], 1],
])('secrets of an intern that are read %s are judged without a base URL', async (_, rest, judged) => {
  const path = `/vault/interns/${intern}/secrets`;
  const spec = [readKey({ path: 'https://x.test/v1/page' }), { path, body: { was: storedValue } }, ...rest];
  const file = writeRecording('a.har', makeHar(spec.map(makeEntry)));
  const { failures, report } = await judgeRecording([file], { baseUrl: undefined, canaries: [storedValue] });
  expect(failures.map(({ requirement: id }) => id)).toEqual(['secrecy.body']);
  expect(report.run.recording).toMatchObject({ judged, elsewhere: 1 });
});

describe('recorded requests that match no operation', () => {
  const store = makeEntry({ method: 'POST', path: '/stores', sent: { name: 'a' }, body: {} });
  const models = makeEntry({ path: '/models', body: {} });
  const chat = makeEntry(infer({ body: { id: 'x' } }));
  const hintsOf = async (entries: readonly object[], knowsInference = false) => {
    const { judge } = await judgeRecording([writeRecording('a.har', makeHar(entries))], { knowsInference });
    return judge.hints.join();
  };

  it('the notes suggest --inference-path with the path of an unmatched request that looks like inference', async () => {
    expect(await hintsOf([models, store, chat])).toBe(
      '3 requests below https://api.example.test/v1 matched no operation of the document; POST /chat/completions looks like inference: give --inference-path /chat/completions to have it judged',
    );
    expect(await hintsOf([store])).toContain('if some are inference, give their path with --inference-path');
  });

  it.each([
    ['inference has its path', [store, chat], true],
    ['no request can be inference', [models], false],
    ['they are of another host', [makeEntry({ method: 'POST', path: 'https://b.test/v1/chat' })], false],
  ])('the notes do not suggest --inference-path if %s', async (_, entries, knowsInference) => {
    expect(await hintsOf(entries, knowsInference)).toBe('');
  });
});

function listPassiveRows({ requirements }: Report): readonly string[] {
  // A recording does not say which of its keys are of one workspace, nor surely what a reason phrase was.
  const unrecorded = ['secrecy.other-key-echo', 'secrecy.reason-phrase'];
  const passive = new Set<string>(PassiveJudge.requirements.filter((id) => !unrecorded.includes(id)));
  return requirements.filter(({ id }) => passive.has(id)).map(({ id, status }) => `${id}: ${status}`);
}

it('a recording of a run on the reference gives the outcomes of the rules for every response', async () => {
  const exchanges: Exchange[] = [];
  const { report: run, redactor } = await judgeReference({
    ...{ checks: allChecks.filter(({ kind }) => kind === 'written'), depth: 'quick', concurrency: 16 },
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const kept = exchanges.map((one) => ({ ...reportExchange(one, redactor), check: null, label: one.label }));
  const file = writeRecording('own.har', renderHar(run, { exchanges: kept, sent: kept.length }));
  const { report } = await judgeRecording([file], { baseUrl: run.target.base_url ?? '' });
  expect(listPassiveRows(report)).toEqual(listPassiveRows(run));
  expect(report.checks.flatMap(({ failure }) => failure?.message ?? [])).toEqual([]);
  expect(report.run.recording?.judged).toBeGreaterThan(200);
});
