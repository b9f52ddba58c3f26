import { describe, expect, it, test } from 'vitest';
import type { Finding } from '../../judge/finding.js';
import type { Violation } from '../../judge/judgement.js';
import { situationOf, situationsOf } from '../../judge/situation.js';
import type { RequirementId } from '../../spec/ledger.js';
import { isOfDrawnCases, isSameViolation } from '../../spec/situation.js';
import { Redactor } from '../../targets/redaction.js';

const request = { plain: 'GET /key?x=1 as member', bare: 'GET /key as member' };

function finding(changes: Partial<Finding> = {}, status = 500): Finding {
  return {
    subject: 'key-info.200.read',
    key: 'key-info.200.read #1',
    requirement: 'key-info.200.read',
    atOnce: false,
    message: '',
    expected: '200',
    actual: '500',
    counterexample: {},
    exchange: {
      operation: 'key-info',
      reaches: 'operation',
      label: 'GET /key',
      request: { method: 'GET', url: 'http://127.0.0.1/v1/key', headers: [] },
      answer: { status, headers: [], text: '', truncated: false },
      startedAt: 0,
      durationMs: 1,
    },
    request,
    ...changes,
  };
}

const told = (changes: Partial<Finding>, redactor = new Redactor()) =>
  situationOf(finding(changes), redactor);

describe('a situation', () => {
  it('says what was asked and what came', () => {
    expect(told({})).toEqual({
      kind: 'key-info answered 500',
      exact: 'key-info answered 500 to GET /key?x=1 as member',
      bare: 'key-info answered 500 to GET /key as member',
    });
  });

  it('of a lost answer says why', () => {
    const { exchange } = finding();
    const lost = { ...exchange, answer: undefined, lost: 'no answer within 10 s' };
    expect(told({ exchange: lost }).kind).toBe('key-info not answered: no answer within 10 s');
  });

  it('that a rule for every response saw names no request', () => {
    const { request: _, ...passive } = finding({ aspect: 'error.message is missing' });
    const words = 'key-info answered 500: error.message is missing';
    expect(situationOf(passive, new Redactor())).toEqual({ kind: words, exact: words, bare: words });
  });

  test.each([
    [
      'limit null, limit_remaining 12.5 for the key member',
      'limit null, limit_remaining n for the key member',
    ],
    ['error.code is 500 while the status is 404', 'error.code is 500 while the status is 404'],
    ['429 beside 20 that were served', '429 beside n that were served'],
    ['data.allowed_models.3 must be string', 'data.allowed_models.[] must be string'],
    ['Retry-After is "Fri, 20"', 'Retry-After is "…"'],
    ['name "a \\" b", limit_usd 3', 'name "…", limit_usd n'],
    ['1b2c3d4e-0000-4000-8000-0123456789ab', 'an id'],
    ['a\u001b[31mb\u2028c\n d', 'a?[31mb?c? d'],
    ['usage_daily 1e-7, -3', 'usage_daily n, n'],
  ])('leaves out what differs from run to run: %j', (aspect, steady) => {
    expect(told({ aspect }).exact).toBe(`key-info answered 500 to GET /key?x=1 as member: ${steady}`);
  });

  it('holds no secret, nor half of one where it is cut', () => {
    const redactor = new Redactor();
    redactor.register('sk-0123456789abcdefgh', '$PLUMBLINE_KEY_MEMBER');
    for (let before = 100; before < 200; before++) {
      const aspect = `${'x'.repeat(before)} sk-0123456789abcdefgh`;
      const { exact } = told({ aspect }, redactor);
      expect(exact).not.toContain('sk-');
      expect([...exact].length).toBeLessThanOrEqual(200);
    }
  });
});

function violation(
  requirement: RequirementId,
  asked: string,
  changes: { readonly drawn?: boolean; readonly sampled?: boolean; readonly bare?: string } = {},
): Violation {
  const exact = `key-info answered 500 to ${asked}`;
  const { exchange: _, request: __, aspect: ___, ...rest } = finding({ requirement });
  return {
    ...rest,
    situation: { kind: 'key-info answered 500', exact, bare: changes.bare ?? exact },
    sampled: changes.sampled ?? false,
    confirmed: '3/3',
    exchanges: [],
    curl: '',
    replay: { seed: 1, path: 'p:0:1', isDrawn: changes.drawn ?? false },
  };
}

describe('what a drawn case shows', () => {
  const always = violation('key-info.200.read', 'GET /key as member');
  const drawn = violation('key-info.200.read', 'GET /key?x=1 as member', { drawn: true });

  it('is what a case that is always sent shows too', () => {
    expect([drawn, always].map(situationsOf([drawn, always]))).toEqual([
      always.situation.exact,
      always.situation.exact,
    ]);
  });

  it('is told by its kind where nothing else shows it, whatever part of a list it was', () => {
    const sampled = violation('key-info.200.read', 'GET /key as outsider', { sampled: true });
    expect([drawn, sampled].map(situationsOf([drawn, sampled]))).toEqual([
      'key-info answered 500 in a drawn case',
      'key-info answered 500 in a drawn case',
    ]);
  });

  it('may be another requirement’s violation once more: the same request, query and body aside', () => {
    const laid = violation('key-info.200.no-parameters', 'GET /key?x=1 as member', {
      drawn: true,
      bare: always.situation.exact,
    });
    expect(situationsOf([laid, always])(laid)).toBe(`${always.situation.exact}, as in key-info.200.read`);
  });

  it('does not stand for what is always sent', () => {
    const other = violation('key-info.200.read', 'GET /key as outsider');
    expect([other, always].map(situationsOf([other, always, drawn]))).toEqual([
      other.situation.exact,
      always.situation.exact,
    ]);
  });
});

describe('a violation that somebody named', () => {
  const named = { requirement: 'auth.bearer', situation: 'key-info answered 500 to GET /key as member' };
  const drawn = 'key-info answered 500 in a drawn case';

  test.each<readonly [string, string, string, boolean]>([
    ['word for word', 'auth.bearer', named.situation, true],
    ['another request', 'auth.bearer', 'key-info answered 500 to GET /key as outsider', false],
    ['another answer', 'auth.bearer', 'key-info answered 404 to GET /key as member', false],
    ['a longer request', 'auth.bearer', `${named.situation} with a body`, false],
    ['another requirement', 'auth.unknown-key', named.situation, false],
    ['a drawn case of its kind', 'auth.bearer', drawn, true],
    ['a drawn case of another kind', 'auth.bearer', 'key-info answered 50 in a drawn case', false],
    ['a drawn case of another requirement', 'auth.unknown-key', drawn, false],
    ['shown again by another', 'auth.unknown-key', `${named.situation}, as in auth.bearer`, true],
    ['something else shown again', 'auth.unknown-key', `${named.situation}, as in auth.altered-key`, false],
  ])('%s', (_name, requirement, situation, isSame) => {
    expect(isSameViolation(named, { requirement, situation })).toBe(isSame);
  });

  it('in a drawn case is not any other of its kind', () => {
    expect(isSameViolation({ ...named, situation: drawn }, named)).toBe(false);
    expect([drawn, `${named.situation}, as in auth.bearer`, named.situation].map(isOfDrawnCases)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
