import { expect, it } from 'vitest';
import type { Answer, Call } from '../../reference/behaviour.js';
import { allChecks } from '../../suites/all-checks.js';
import {
  behaveAsMutant,
  isVault,
  makeEnvelope,
  makeHaproxyPage,
  makeJson,
  makePage,
  replaceAnswers,
} from '../behaviours.js';
import { findCheck, findRow, idsWith } from '../report-rows.js';
import { passOnTo, startServer } from '../servers.js';
import { judgeReference, listViolated } from './judge-reference.js';

const areas = ['vault-delete.{401.missing-key,403.no-scope,404.unknown-intern,502.*}', 'envelope.*'];
const envelopeCheck = 'envelope.json-object/every-response';
const controlCharacter = 'secret-name.refuses.control-character';

it.concurrent('a page in place of the envelope is one violation if it is sent every time, whichever checks meet it', async () => {
  const behaviour = replaceAnswers(isVault(502), makePage(502));
  const { report } = await judgeReference({ only: areas, behaviour });
  expect(idsWith(report, 'fail')).toEqual(['envelope.json-object']);
  expect(findCheck(report, envelopeCheck)).toMatchObject({
    failure: {
      ...{ actual: 'the body is not valid JSON', confirmed: '3/3' },
      counterexample: { operation: 'vault-delete', status: 502 },
    },
    further_failures: [],
  });
  expect(findRow(report, 'vault-delete.502.unreachable').status).toBe('pass');
  expect(findRow(report, 'vault-delete.502.bad-response').status).toBe('pass');
});

it.concurrent("a gateway's own error in JSON is a violation only if it is sent every time", async () => {
  const answer = makeJson(502, { status: 502, error: 'Bad Gateway' });
  const only = ['vault-delete.502.*', 'envelope.*'];
  const always = replaceAnswers(isVault(502), answer);
  expect(await listViolated({ only, behaviour: always })).toEqual(['envelope.error']);
  let seen = 0;
  const once = replaceAnswers((given, call) => isVault(502)(given, call) && ++seen === 2, answer);
  expect(await listViolated({ only, behaviour: once })).toEqual([]);
  expect(seen).toBeGreaterThan(2);
});

it.concurrent.each([
  ['where another status is due', 401, {}],
  ['where headers name a gateway', 404, { Server: 'kong/3.4.2' }],
] as const)('a single error in JSON of its own is no violation %s', async (_where, status, headers) => {
  const own = makeJson(status, { message: 'no' });
  const answer = { ...own, headers: { ...own.headers, ...headers } };
  let seen = 0;
  const once = replaceAnswers((given, call) => isVault(404)(given, call) && ++seen === 2, answer);
  expect(await listViolated({ only: ['vault-delete.404.*', 'envelope.*'], behaviour: once })).toEqual([]);
  expect(seen).toBeGreaterThan(2);
});

const refuseSigns = (sign: RegExp, answer: Answer) =>
  replaceAnswers((given, call) => isVault(400)(given, call) && sign.test(call.path), answer);

it.concurrent('a wrong status in the envelope is a violation for a path with a control character too', async () => {
  const behaviour = refuseSigns(/%00/, makeEnvelope(404));
  const only = [controlCharacter, 'envelope.json-object'];
  expect(await listViolated({ only, behaviour })).toEqual([controlCharacter]);
});

it.concurrent('a page of a proxy is a violation where the service should not be in trouble', async () => {
  const only = ['vault-delete.404.unknown-intern'];
  const behaviour = replaceAnswers(isVault(404), makeHaproxyPage(500));
  expect(await listViolated({ only, behaviour })).toEqual(only);
});

it.concurrent('a proxy may refuse a body that it need not pass on, but not the service in its own words', async () => {
  const hasBody = (_answer: Answer, { operation, headers }: Call) =>
    operation === 'key-read' && headers['content-type'] !== undefined;
  const only = ['key-info.200.*', 'auth.unknown-key', 'envelope.json-object'];
  const byProxy = await judgeReference({ only, behaviour: replaceAnswers(hasBody, makeHaproxyPage(400)) });
  expect(byProxy.report.verdict).toBe('conformant');
  const byService = await listViolated({ only, behaviour: replaceAnswers(hasBody, makePage(400)) });
  expect(byService).toEqual(['envelope.json-object']);
});

it.concurrent('a page of a proxy for an encoded slash or a dot segment decides nothing', async () => {
  const { report } = await judgeReference({
    only: ['secret-name.{routing,identity}', 'vault-delete.204.only-the-named'],
    behaviour: replaceAnswers((_answer, { path }) => /%2f|\/\.|%5c/i.test(path), makeHaproxyPage(404)),
  });
  expect(report.verdict).toBe('conformant');
});

it.concurrent('a page that names a proxy is not a violation, and the report says what answered', async () => {
  const { report } = await judgeReference({
    only: ['vault-delete.{401.unknown-key,404.unknown-intern,502.unreachable}', 'envelope.*'],
    behaviour: replaceAnswers(
      (answer, { operation }) => operation === 'vault-delete' && [404, 502].includes(answer.status),
      ({ path }) => makeHaproxyPage(path.includes('unreachable') ? 502 : 404),
    ),
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(findRow(report, 'vault-delete.401.unknown-key').status).toBe('pass');
  expect(findRow(report, 'vault-delete.404.unknown-intern')).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringContaining('in front of the service answered in its place (a page of HAProxy'),
  });
});

it.concurrent.for([
  [/%00/, 'pass'],
  [/%(?:[01]|7f)/i, 'not-exercised'],
] as const)('a page in place of a refusal decides nothing for the path %s', async ([sign, status]) => {
  const { report } = await judgeReference({
    only: [controlCharacter, 'envelope.*', 'vault-delete.status-documented'],
    behaviour: refuseSigns(sign, makePage(404)),
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(findRow(report, controlCharacter).status).toBe(status);
});

it.concurrent('a regional hostname that leads elsewhere is not exercised, and the report says what came', async () => {
  const empty = { status: 200, headers: {}, body: '' };
  const { report } = await judgeReference({
    only: ['vault-delete.403.*', 'vault-delete.status-documented', 'envelope.*'],
    behaviour: replaceAnswers((_answer, { host }) => /vault\.test/i.test(host ?? ''), empty),
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(findRow(report, 'vault-delete.403.regional-host')).toMatchObject({
    status: 'not-exercised',
    reason: expect.stringContaining('that leads to the service; it got 200 without a media type'),
  });
});

it.concurrent('a page for a read that is not routed says nothing of the regional hostname', async () => {
  const isRead = (_answer: Answer, { method, path }: Call) => method === 'GET' && path.includes('/vault/');
  const behaviour = replaceAnswers(isRead, makePage(404));
  const { report } = await judgeReference({ only: ['vault-delete.403.*'], concurrency: 1, behaviour });
  expect(report.verdict).toBe('conformant');
  const ofVault = report.checks.filter(({ id }) => id.startsWith('vault-delete.'));
  const unjudged = ofVault.filter(({ outcome }) => outcome === 'skipped');
  expect(unjudged.map(({ id }) => id)).toEqual(['vault-delete.403.regional-host/reads']);
});

it.concurrent('an empty body, a JSON array and a wrong media type are separate failures', async () => {
  const { report } = await judgeReference({
    only: areas,
    behaviour: {
      answer: (answer, call) => {
        if (call.operation !== 'vault-delete') return answer;
        if (answer.status === 404) return { ...answer, body: '' };
        if (answer.status === 401) return { ...answer, body: '[]' };
        if (answer.status === 403) return { ...answer, headers: { 'Content-Type': 'text/plain' } };
        return answer;
      },
    },
  });
  expect(idsWith(report, 'fail')).toEqual(['envelope.json-object', 'envelope.media-type']);
  const { failure, further_failures } = findCheck(report, envelopeCheck);
  expect([failure, ...further_failures].map((one) => one?.actual).sort()).toEqual([
    'the body is JSON but no object, got []',
    'the body is empty',
  ]);
  const ofMediaType = findCheck(report, 'envelope.media-type/every-response');
  expect(ofMediaType.failure?.actual).toBe('the media type is text/plain');
});

it.concurrent.each([
  ['nothing decides it behind nginx, which does so itself', { Server: 'nginx/1.22.1' }, 'not-exercised'],
  ['it is a violation where nothing stands in front', {}, 'fail'],
])('where a body stops arriving and the connection is closed, %s', async (_what, headers, status) => {
  const closing = behaveAsMutant('vault-delete.stalled-body-closed');
  const { report } = await judgeReference({
    only: ['vault-delete.408.timeout'],
    checks: allChecks.filter(({ id }) => id === 'vault-delete.408.timeout/stalled-body'),
    behaviour: {
      ...closing,
      answer: (answer) => ({ ...answer, headers: { ...answer.headers, ...headers } }),
    },
  });
  expect(findRow(report, 'vault-delete.408.timeout').status).toBe(status);
});

it.concurrent('a page for some generated cases leaves open what these would have decided, and no more', async () => {
  const pairs = 'vault-delete.204.deleted/vault-pairs';
  const { report } = await judgeReference({
    checks: allChecks.filter(({ id }) => id === pairs),
    behaviour: replaceAnswers((_answer, { path }) => path.includes('?'), makeHaproxyPage(403)),
  });
  const { says = [] } = findCheck(report, pairs);
  const open = says.filter(({ outcome }) => outcome === 'inconclusive').map(({ requirement }) => requirement);
  expect(open).toEqual(['vault-delete.400.query']);
});

it.concurrent('a gateway without a service behind the regional hostname is not the failure of the service', async () => {
  const only = ['vault-delete.403.{regional-host,keeps}', 'envelope.*'];
  const isRegional = (_answer: Answer, { host }: Call) => host?.startsWith('eu.') === true;
  const { report } = await judgeReference({ only, behaviour: replaceAnswers(isRegional, makePage(502)) });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(findRow(report, 'vault-delete.403.regional-host')).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringContaining("every request to it gets a gateway's 502"),
  });
  const ofVault = (answer: Answer, call: Call) =>
    isRegional(answer, call) && call.operation === 'vault-delete';
  expect(await listViolated({ only, behaviour: replaceAnswers(ofVault, makePage(502)) })).toContain(
    'vault-delete.403.regional-host',
  );
});

it.concurrent('a proxy that passes on one request at a time makes no violation of requests sent together', async () => {
  let inFlight = 0;
  const reachedAt = async (base: string) => {
    const passOn = passOnTo(new URL(base).origin);
    const started = await startServer((request, response) => {
      if (inFlight > 0) {
        request.resume();
        response.writeHead(502, { 'Content-Type': 'text/html' });
        return response.end('<html><hr><center>nginx</center></html>');
      }
      inFlight += 1;
      response.on('close', () => {
        inFlight -= 1;
      });
      return passOn(request, response);
    });
    return `${started}/v1`;
  };
  const only = ['vault-delete.204.parallel'];
  const { report } = await judgeReference({ only, concurrency: 4, reachedAt });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(idsWith(report, 'inconclusive')).toEqual(only);
});
