import { expect, it, test } from 'vitest';
import type { Check } from '../../judge/check.js';
import type { Finding, Violation } from '../../judge/finding.js';
import { findSituation, makeSituationNamer } from '../../judge/situation-names.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Failure } from '../../spec/report.js';
import {
  codeSituation,
  isOfDrawnCases,
  isSameViolation,
  renderSituation,
  reportSituation,
  type ViolationIdentity,
} from '../../spec/situation.js';
import { allChecks } from '../../suites/all-checks.js';
import { describeLostConnection } from '../../targets/connection-errors.js';
import { Redactor } from '../../targets/redaction.js';
import { behaveAsMutant } from '../behaviours.js';
import { listFailures } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';
import { key, knowing, sampleEvidence, sampleExchange, sampleFinding } from './samples.js';

const request = { plain: 'GET /key?x=1 as member', bare: 'GET /key as member' };

const findWith = (changes: Partial<Finding>, redactor = new Redactor()) =>
  findSituation(sampleFinding({ request, ...changes }), redactor);

const asked = 'key-info answered 500 to';
const ofLength = (length: number) => ({ plain: 'y'.repeat(length), bare: 'y' });

it.each([
  ['in its aspect', { aspect: 'x'.repeat(300) }, `${asked} ${request.plain}: ${'x'.repeat(150)}…`],
  ['in its request', { request: ofLength(300), aspect: 'x' }, `${asked} ${'y'.repeat(174)}…`],
  ['where its request ends', { request: ofLength(174), aspect: 'xx' }, `${asked} ${'y'.repeat(174)}…`],
])('a situation is cut %s, and its code differs only where its words do', (_where, changes, words) => {
  const { exact } = findWith(changes);
  expect([renderSituation(exact), [...words].length]).toEqual([words, 200]);
  const { exact: longer } = findWith({ ...changes, aspect: `${changes.aspect}x` });
  expect(codeSituation(longer)).toBe(codeSituation(exact));
});

it('a situation says what was asked, unless it is that of a rule for every response, and what was answered', () => {
  const { exact, bare } = findWith({});
  expect(exact).toEqual({ operation: 'key-info', outcome: 500, request: request.plain });
  expect(bare).toEqual({ ...exact, request: request.bare });
  expect(renderSituation(exact)).toBe('key-info answered 500 to GET /key?x=1 as member');
  const aspect = 'error.message is missing';
  const passive = findSituation(sampleFinding({ aspect }), new Redactor());
  const situation = { operation: 'key-info', outcome: 500, aspect };
  expect(passive).toEqual({ exact: situation, bare: situation });
  expect(renderSituation(passive.exact)).toBe('key-info answered 500: error.message is missing');
});

it.each([
  ['no-answer', { lost: 'no answer within 10 s' }, 'no answer within 10 s'],
  ['ECONNRESET', describeLostConnection('ECONNRESET'), 'connection lost (ECONNRESET)'],
])('a situation without an answer has the code of the error and says why: %s', (outcome, lost, why) => {
  const exchange = { ...sampleExchange(), answer: undefined, ...lost };
  const { exact } = findWith({ exchange });
  expect(exact.outcome).toBe(outcome);
  expect(renderSituation(exact)).toBe(`key-info not answered: ${why} to GET /key?x=1 as member`);
});

test.each([
  ['limit null, limit_remaining 12.5 for the key member', 'limit null, limit_remaining n for the key member'],
  ['error.code is 500 while the status is 404', 'error.code is 500 while the status is 404'],
  ['429 beside 20 that were served', '429 beside n that were served'],
  ['data.allowed_models.3 must be string', 'data.allowed_models.[] must be string'],
  ['Retry-After is "Fri, 20"', 'Retry-After is "…"'],
  ['name "a \\" b", limit_usd 3', 'name "…", limit_usd n'],
  ['1b2c3d4e-0000-4000-8000-0123456789ab', 'an id'],
  ['a\u001b[31mb\u2028c\n d', 'a?[31mb?c? d'],
  ['usage_daily 1e-7, -3', 'usage_daily n, n'],
])('a situation leaves out what differs from run to run: %j', (aspect, steady) => {
  const words = `key-info answered 500 to GET /key?x=1 as member: ${steady}`;
  expect(renderSituation(findWith({ aspect }).exact)).toBe(words);
});

it('a situation contains no secret, not even part of one where it is cut', () => {
  const redactor = knowing();
  for (let before = 100; before < 200; before++) {
    const aspect = `${'x'.repeat(before)} ${key}`;
    const { exact } = findWith({ aspect }, redactor);
    expect(JSON.stringify(exact)).not.toContain('sk-');
    expect([...renderSituation(exact)].length).toBeLessThanOrEqual(200);
  }
});

const makeSituation = (label: string): ViolationIdentity => ({
  operation: 'key-info',
  outcome: 500,
  request: label,
});

function violation(requirement: RequirementId, label: string, isDrawn = false, bare = label): Violation {
  const situation = { exact: makeSituation(label), bare: makeSituation(bare) };
  return {
    ...sampleEvidence({ requirement, situation }),
    ...{ confirmed: '3/3', replay: { seed: 1, path: 'p:0:1', isDrawn } },
  };
}

const named = (name: string) => violation('vault-delete.404.other-intern', `DELETE own/${name} as member`);
const [long, short] = [named('a long name'), named('a name')];
const always = violation('key-info.200.read', 'GET /key as member');
const other = violation('key-info.200.read', 'GET /key as outsider');
const drawn = violation('key-info.200.read', 'GET /key?x=1 as member', true);
const laid = violation('key-info.200.no-parameters', 'GET /key?x=1 as member', true, 'GET /key as member');
const ofKind = { operation: 'key-info', outcome: 500, drawn: true } as const;
const asInRead = { ...always.situation.exact, as_in: 'key-info.200.read' };

it.each<readonly [string, readonly Violation[], readonly object[]]>([
  ['a long name has that of a shorter name that is violated too', [long, short], [short, short]],
  ['a long name has its own if no shorter one is violated', [long], [long]],
  ['a generated case has that of a fixed case that shows the same', [drawn, always], [always, always]],
  ['a generated case that nothing else shows is named by its kind', [drawn], [ofKind]],
  ['a generated case may repeat the violation of another requirement', [laid, always], [asInRead]],
  ['a fixed case never has that of a generated one', [other, always, drawn], [other, always]],
])('of the situations of violations, %s', (_what, all, expected) => {
  expect(all.map(makeSituationNamer(all)).slice(0, expected.length)).toEqual(
    expected.map((one) => ('situation' in one ? (one as Violation).situation.exact : one)),
  );
});

const requirement = 'auth.bearer';
const shown = makeSituation('GET /key as member');
const { case: code, situation: words } = reportSituation(shown);
const ofRule = { operation: 'key-info', outcome: 500, aspect: 'error.message is missing' } as const;

test.each<readonly [string, RequirementId, ViolationIdentity, boolean]>([
  ['exactly', requirement, shown, true],
  ['another request', requirement, makeSituation('GET /key as outsider'), false],
  ['another answer', requirement, { ...shown, outcome: 404 }, false],
  ['something else that is wrong', requirement, { ...shown, aspect: 'usage n' }, false],
  ['another requirement', 'auth.unknown-key', shown, false],
  ['a drawn case of its kind', requirement, ofKind, true],
  ['a drawn case of another kind', requirement, { ...ofKind, outcome: 50 }, false],
  ['a drawn case of a rule', requirement, { ...ofRule, drawn: true }, false],
  ['a drawn case of another requirement', 'auth.unknown-key', ofKind, false],
  ['shown again by another', 'auth.unknown-key', { ...shown, as_in: requirement }, true],
  ['shown again by another, and named there', requirement, { ...shown, as_in: 'auth.unknown-key' }, false],
  ['something else shown again', 'auth.unknown-key', { ...shown, as_in: 'auth.altered-key' }, false],
])('a violation matches by case and by situation as expected: %s', (_name, seenOf, situation, isSame) => {
  const seen = { requirement: seenOf, ...reportSituation(situation) };
  expect(isSameViolation({ requirement, case: code }, seen)).toBe(isSame);
  expect(isSameViolation({ requirement, situation: words }, seen)).toBe(isSame);
  expect(isSameViolation({ requirement, case: code, situation: 'other words' }, seen)).toBe(isSame);
});

it('a named case does not match if it is generated and a fixed one is seen, or a rule and a generated one is', () => {
  for (const [one, parts] of [
    [ofKind, shown],
    [ofRule, ofKind],
  ] as const) {
    const seen = { requirement, ...reportSituation(parts) };
    const { case: namedCode, situation } = reportSituation(one);
    expect(isSameViolation({ requirement, case: namedCode }, seen)).toBe(false);
    expect(isSameViolation({ requirement, situation }, seen)).toBe(false);
  }
});

it('a rule for every response is known by the words of 0.1 for a check that asked for the same', () => {
  const seen = { requirement, ...reportSituation(ofRule) };
  const { operation, outcome, aspect } = ofRule;
  const isSame = (situation: ViolationIdentity) =>
    isSameViolation({ requirement, situation: renderSituation(situation) }, seen);
  expect(isSame({ operation, outcome, request: request.plain, aspect })).toBe(true);
  expect(isSame({ operation, outcome, request: request.plain, aspect: `not ${aspect}` })).toBe(false);
  expect(isSame({ operation, outcome: 599, request: request.plain, aspect })).toBe(false);
});

it('a violation of generated cases is known by its case and by the words of version 0.1', () => {
  const all = [ofKind, { ...shown, as_in: requirement } as const, shown, ofRule].map(reportSituation);
  expect(all.map(isOfDrawnCases)).toEqual([true, true, false, false]);
  expect(all.map(({ situation }) => isOfDrawnCases({ situation }))).toEqual([true, true, false, false]);
});

function checksOf(id: string, ...properties: readonly string[]): readonly Check[] {
  return allChecks.filter((check) =>
    check.kind === 'written'
      ? check.decides.some((row) => row === id)
      : properties.some((name) => name === check.property),
  );
}

async function findFailures(id: string, checks: readonly Check[], seed: number): Promise<readonly Failure[]> {
  const { report } = await judgeReference({
    behaviour: behaveAsMutant(id),
    checks,
    seed,
    plan: { cases: 20 },
  });
  return listFailures(report);
}

const cases: readonly (readonly [mutant: string, checks: readonly Check[], situation: string])[] = [
  [
    'guardrail-read.description-cut',
    checksOf('guardrail-read.200.values', 'guardrail-values'),
    'guardrail-read answered 200 to GET own guardrail as management: description "…"',
  ],
  [
    'envelope.guardrail-401-text-plain',
    checksOf('guardrail-read.401.missing-key', 'guardrail-pairs'),
    'guardrail-read answered 401: the media type is text/plain',
  ],
  [
    'secret-name.accepts-sub-delimiters',
    checksOf('secret-name.refuses.punctuation', 'invalid-names'),
    'vault-delete answered 404 to DELETE own/',
  ],
];

test.concurrent.each(cases)(
  'the defect %s has the same situation with every seed',
  async (id, checks, situation) => {
    const first = await findFailures(id, checks, 3);
    expect(first.filter((failure) => failure.situation.startsWith(situation))).not.toEqual([]);
    const tonight = await findFailures(id, checks, 4);
    expect(tonight).not.toEqual([]);
    const unknown = tonight.filter((one) => !first.some((named) => isSameViolation(named, one)));
    expect(unknown.map((failure) => failure.situation)).toEqual([]);
  },
);
