import { expect, it, test } from 'vitest';
import { makeHeader, otherSchemes } from '../../generators/credential.js';
import { isPermittedStatus } from '../../judge/passive-rules.js';
import type { Behaviour, Call } from '../../reference/behaviour.js';
import { alsoAccept } from '../../reference/mutants/auth.js';
import { editAnswer, editGate } from '../../reference/mutation.js';
import { isDocumented } from '../../spec/contract.js';
import type { Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { behaveAsMutant, behaveAsVariant, countTimes } from '../behaviours.js';
import { findRow, idsWith, listFailures } from '../report-rows.js';
import { type Judging, judgeReference } from './judge-reference.js';

type Mutation = Partial<Behaviour>;

const judgeMutation = async (behaviour: Mutation, judging: Judging): Promise<Report> =>
  (await judgeReference({ behaviour, depth: 'quick', ...judging })).report;

// ── Without a known key nothing is told (§1, §5) ──

it('a ban after two wrong keys is not taken for an existence oracle', async () => {
  const mutation = editGate('vault-delete', 'authentication', (call, original) => {
    const refusal = original(call);
    // A world is known by its intern, since there is no key.
    const isLater = refusal !== undefined && countTimes(call, `at ${call.parameters.internId}`) > 1;
    return isLater ? { ...refusal, status: 403 } : refusal;
  });
  const report = await judgeMutation(mutation, { only: ['auth.no-existence-oracle'] });
  expect(findRow(report, 'auth.no-existence-oracle').status).not.toBe('fail');
});

it('a header that takes turns, and one computed from the path, are not taken for an existence oracle', async () => {
  let turn = 0;
  const mutation = editAnswer({ operation: 'vault-delete', status: 401 }, (answer, { path }) => {
    turn += 1;
    const hash = [...path].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 65_521, 7);
    const letters = [...String(hash)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    const headers = { 'X-Served-By': turn % 2 === 0 ? 'left' : 'right', ETag: `"${letters}"` };
    return { ...answer, headers: { ...answer.headers, ...headers } };
  });
  const report = await judgeMutation(mutation, { only: ['auth.no-existence-oracle'] });
  expect(findRow(report, 'auth.no-existence-oracle').status).toBe('pass');
});

it('a header that says whether a secret is stored is an existence oracle, within the requests that a world may get', async () => {
  const mutation = behaveAsMutant('auth.missing-key-tells-secrets-in-a-header');
  const report = await judgeMutation(mutation, { only: ['auth.no-existence-oracle'] });
  expect(findRow(report, 'auth.no-existence-oracle').status).toBe('fail');
});

// ── Keys that are given in another way (§5.1) ──

it('a server that takes the key with another scheme is conformant and fails only an advisory requirement', async () => {
  const report = await judgeMutation(behaveAsVariant('basic-accepted'), {
    only: ['auth.*', 'key-info.200.*'],
  });
  expect(idsWith(report, 'fail')).toEqual(['auth.other-scheme']);
  expect([report.verdict, report.gate.exit_code]).toEqual(['conformant', 0]);
});

it('a server that takes the key with any other scheme may break its streams off for such a key too', async () => {
  const behaviour = alsoAccept((header, key) =>
    otherSchemes.some((word) => makeHeader(word, key, () => false) === header),
  );
  const report = await judgeMutation(behaviour, {
    only: ['auth.malformed-header', 'stream-error.*'],
    checks: allChecks.filter(({ id }) => /\/inference-pairs(?:-paid)?$/.test(id)),
    depth: 'standard',
  });
  expect(listFailures(report)).toEqual([]);
});

it('a server that answers another scheme with neither 401 nor the success fails a separate requirement', async () => {
  const isBasic = ({ headers }: Call) => /^Basic \w/.test(headers.authorization ?? '');
  const mutation = editAnswer({ operation: 'key-read', status: 401, when: isBasic }, (answer) => ({
    ...answer,
    status: 403,
    body: { error: { code: 403, message: 'Use the scheme Bearer' } },
  }));
  const report = await judgeMutation(mutation, {
    only: ['auth.malformed-header', 'auth.other-scheme', 'key-info.200.read'],
    checks: allChecks.filter(({ id, kind }) => kind === 'written' || id.endsWith('/key-pairs')),
    depth: 'standard',
    // Twenty do not find the malformed header.
    plan: { cases: 50 },
  });
  expect(idsWith(report, 'fail')).toEqual(['auth.malformed-header', 'auth.other-scheme']);
}, 180_000);

// ── Hostnames (§5.5) ──

it('the spelling of a host name without letters is not exercised', async () => {
  const only = ['auth.host-spelling', 'key-info.200.read'];
  const report = await judgeMutation({}, { only, host: '127.0.0.1' });
  expect(findRow(report, 'auth.host-spelling')).toMatchObject({
    status: 'not-exercised',
    reason: 'needs a base URL whose host is a name, not an address',
  });
});

it('the report lists how reads behave on a regional hostname, and no requirement fails', async () => {
  const report = await judgeMutation(behaveAsVariant('regional-elsewhere-misdirected'), {
    only: ['auth.other-scheme', 'key-info.200.read', 'guardrail-read.200.read'],
    depth: 'standard',
    checks: allChecks.filter(({ id }) => /\/(?:key|guardrail)-pairs$/.test(id)),
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  const { observed = [] } = report.silences.find(({ id }) => id === 'auth.regional-host') ?? {};
  expect(observed).toContain('GET /key as member on the regional hostname: 421');
  expect(observed).toContain('GET own guardrail as management on the regional hostname: 404');
  // The target's own name is not a regional one, not even in upper case.
  expect(observed).not.toContainEqual(expect.stringContaining('the global hostname'));
});

const statuses = Array.from({ length: 500 }, (_, at) => at + 100);
// §7.3 gives them a meaning for the whole service.
const general = [400, 401, 402, 403, 404, 408, 429, 500, 502, 503];

test.each([
  ['vault-delete', [204, ...general, 504], [402]],
  ['guardrail-read', [200, ...general], [402, 502, 503]],
  ['key-info', [200, ...general], [404, 502, 503]],
] as const)('%s may answer %j, and its description lists all but %j', (operation, permitted, tolerated) => {
  expect(statuses.filter((status) => isPermittedStatus(operation, status))).toEqual(permitted);
  expect(permitted.filter((status) => !isDocumented(operation, status))).toEqual(tolerated);
});
