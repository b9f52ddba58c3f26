import { describe, expect, it, test } from 'vitest';
import type { Finding, Violation } from '../../judge/finding.js';
import { findSituation, makeSituationNamer } from '../../judge/situation-names.js';
import type { RequirementId } from '../../spec/ledger.js';
import {
  codeSituation,
  isOfDrawnCases,
  isSameViolation,
  renderSituation,
  reportSituation,
  type Situation,
} from '../../spec/situation.js';
import { describeLostConnection } from '../../targets/connection-errors.js';
import { Redactor } from '../../targets/redaction.js';
import { key, knowing, sampleEvidence, sampleFinding } from './samples.js';

const request = { plain: 'GET /key?x=1 as member', bare: 'GET /key as member' };

const finding = (changes: Partial<Finding> = {}) => sampleFinding({ request, ...changes });

const findWith = (changes: Partial<Finding>, redactor = new Redactor()) =>
  findSituation(finding(changes), redactor);

it.each([
  [
    'in its aspect',
    { aspect: 'x'.repeat(300) },
    `key-info answered 500 to ${request.plain}: ${'x'.repeat(150)}…`,
  ],
  [
    'in its request',
    { request: { plain: 'y'.repeat(300), bare: 'y' }, aspect: 'x' },
    `key-info answered 500 to ${'y'.repeat(174)}…`,
  ],
  [
    'where its request ends',
    { request: { plain: 'y'.repeat(174), bare: 'y' }, aspect: 'x'.repeat(9) },
    `key-info answered 500 to ${'y'.repeat(174)}…`,
  ],
])('a situation is cut %s, and its code differs only where its words do', (_where, changes, words) => {
  const { exact } = findWith(changes);
  expect([renderSituation(exact), [...words].length]).toEqual([words, 200]);
  expect(codeSituation(findWith({ ...changes, aspect: `${changes.aspect}x` }).exact)).toBe(
    codeSituation(exact),
  );
});

it('a situation says what was asked and what was answered', () => {
  const { exact, bare } = findWith({});
  expect(exact).toEqual({ operation: 'key-info', outcome: 500, request: request.plain });
  expect(bare).toEqual({ ...exact, request: request.bare });
  expect(renderSituation(exact)).toBe('key-info answered 500 to GET /key?x=1 as member');
});

it('a situation without an answer has the code of the error and says why', () => {
  const { exchange } = finding();
  const late = { ...exchange, answer: undefined, lost: 'no answer within 10 s' };
  const broken = { ...exchange, answer: undefined, ...describeLostConnection('ECONNRESET') };
  const [one, other] = [late, broken].map((lost) => findWith({ exchange: lost }).exact);
  expect([one?.outcome, other?.outcome]).toEqual(['no-answer', 'ECONNRESET']);
  expect(one && renderSituation(one)).toMatch(/^key-info not answered: no answer within 10 s to GET/);
  expect(other && renderSituation(other)).toMatch(
    /^key-info not answered: connection lost \(ECONNRESET\) to/,
  );
});

it('a situation of a rule for every response names no request', () => {
  const { request: _, ...passive } = finding({ aspect: 'error.message is missing' });
  const situation = { operation: 'key-info', outcome: 500, aspect: 'error.message is missing' };
  expect(findSituation(passive, new Redactor())).toEqual({ exact: situation, bare: situation });
  expect(renderSituation(findSituation(passive, new Redactor()).exact)).toBe(
    'key-info answered 500: error.message is missing',
  );
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
  expect(renderSituation(findWith({ aspect }).exact)).toBe(
    `key-info answered 500 to GET /key?x=1 as member: ${steady}`,
  );
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

const makeSituation = (label: string): Situation => ({ operation: 'key-info', outcome: 500, request: label });

function violation(
  requirement: RequirementId,
  label: string,
  changes: { readonly drawn?: boolean; readonly bare?: Situation } = {},
): Violation {
  const exact = makeSituation(label);
  return {
    ...sampleEvidence({ requirement, situation: { exact, bare: changes.bare ?? exact } }),
    confirmed: '3/3',
    replay: { seed: 1, path: 'p:0:1', isDrawn: changes.drawn ?? false },
  };
}

describe('violations with long names', () => {
  const named = (name: string) => violation('vault-delete.404.other-intern', `DELETE own/${name} as member`);
  const [long, short] = [named('a long name'), named('a name')];

  it('a long name has the situation of a shorter name that is violated too', () => {
    expect([long, short].map(makeSituationNamer([long, short]))).toEqual([
      short.situation.exact,
      short.situation.exact,
    ]);
  });

  it('a long name has its own situation if no shorter one is violated', () => {
    expect(makeSituationNamer([long])(long)).toEqual(long.situation.exact);
  });
});

describe('violations in generated cases', () => {
  const always = violation('key-info.200.read', 'GET /key as member');
  const drawn = violation('key-info.200.read', 'GET /key?x=1 as member', { drawn: true });

  it('a generated case has the situation of a fixed case that shows the same', () => {
    expect([drawn, always].map(makeSituationNamer([drawn, always]))).toEqual([
      always.situation.exact,
      always.situation.exact,
    ]);
  });

  it('a generated case that nothing else shows is named by its kind', () => {
    expect(makeSituationNamer([drawn])(drawn)).toEqual({ operation: 'key-info', outcome: 500, drawn: true });
  });

  it('a generated case may repeat the violation of another requirement', () => {
    const laid = violation('key-info.200.no-parameters', 'GET /key?x=1 as member', {
      drawn: true,
      bare: always.situation.exact,
    });
    expect(makeSituationNamer([laid, always])(laid)).toEqual({
      ...always.situation.exact,
      as_in: 'key-info.200.read',
    });
  });

  it('a fixed case never has the situation of a generated one', () => {
    const other = violation('key-info.200.read', 'GET /key as outsider');
    expect([other, always].map(makeSituationNamer([other, always, drawn]))).toEqual([
      other.situation.exact,
      always.situation.exact,
    ]);
  });
});

describe('matching a named violation', () => {
  const requirement = 'auth.bearer';
  const shown = makeSituation('GET /key as member');
  const { case: code, situation: words } = reportSituation(shown);
  const drawn = { operation: 'key-info', outcome: 500, drawn: true } as const;
  const ofRule = { operation: 'key-info', outcome: 500, aspect: 'error.message is missing' } as const;

  test.each<readonly [string, RequirementId, Situation, boolean]>([
    ['exactly', requirement, shown, true],
    ['another request', requirement, makeSituation('GET /key as outsider'), false],
    ['another answer', requirement, { ...shown, outcome: 404 }, false],
    ['something else that is wrong', requirement, { ...shown, aspect: 'usage n' }, false],
    ['another requirement', 'auth.unknown-key', shown, false],
    ['a drawn case of its kind', requirement, drawn, true],
    ['a drawn case of another kind', requirement, { ...drawn, outcome: 50 }, false],
    ['a drawn case of a rule', requirement, { ...ofRule, drawn: true }, false],
    ['a drawn case of another requirement', 'auth.unknown-key', drawn, false],
    ['shown again by another', 'auth.unknown-key', { ...shown, as_in: requirement }, true],
    ['shown again by another, and named there', requirement, { ...shown, as_in: 'auth.unknown-key' }, false],
    ['something else shown again', 'auth.unknown-key', { ...shown, as_in: 'auth.altered-key' }, false],
  ])('a violation matches by case and by situation as expected: %s', (_name, seenOf, situation, isSame) => {
    const seen = { requirement: seenOf, ...reportSituation(situation) };
    expect(isSameViolation({ requirement, case: code }, seen)).toBe(isSame);
    expect(isSameViolation({ requirement, situation: words }, seen)).toBe(isSame);
    expect(isSameViolation({ requirement, case: code, situation: 'other words' }, seen)).toBe(isSame);
  });

  it.each([
    ['a generated case that is named does not match a fixed case of its kind', drawn, shown],
    ['a rule that is named does not match a generated case of it or of a request', ofRule, drawn],
  ])('%s', (_what, named, parts) => {
    const seen = { requirement, ...reportSituation(parts) };
    const { case: namedCode, situation } = reportSituation(named);
    expect(isSameViolation({ requirement, case: namedCode }, seen)).toBe(false);
    expect(isSameViolation({ requirement, situation }, seen)).toBe(false);
  });

  it('a rule for every response is known by the words of 0.1 for a check that asked for the same', () => {
    const seen = { requirement, ...reportSituation(ofRule) };
    const { operation, outcome, aspect } = ofRule;
    const isSame = (situation: Situation) =>
      isSameViolation({ requirement, situation: renderSituation(situation) }, seen);
    expect(isSame({ operation, outcome, request: request.plain, aspect })).toBe(true);
    expect(isSame({ operation, outcome, request: request.plain, aspect: `not ${aspect}` })).toBe(false);
    expect(isSame({ operation, outcome: 599, request: request.plain, aspect })).toBe(false);
  });

  it('a violation of generated cases is known by its case and by the words of version 0.1', () => {
    const all = [drawn, { ...shown, as_in: requirement } as const, shown, ofRule].map(reportSituation);
    expect(all.map(isOfDrawnCases)).toEqual([true, true, false, false]);
    expect(all.map(({ situation }) => isOfDrawnCases({ situation }))).toEqual([true, true, false, false]);
  });
});
