import { expect, it, test } from 'vitest';
import { ledger, newerThan, sinceOf } from '../../spec/ledger.js';
import { compareVersions, firstRelease, isVersion, toolVersion } from '../../spec/version.js';

test.each([
  ['0.1.0', true],
  ['10.20.30', true],
  ['0.1', false],
  ['v0.1.0', false],
  ['0.1.0-rc.1', false],
  ['01.1.0', false],
  ['0.1.0\n', false],
  ['', false],
])('the validity of the version %j is %s', (text, is) => {
  expect(isVersion(text)).toBe(is);
});

test.each([
  ['0.1.0', '0.1.0', 0],
  ['0.9.0', '0.10.0', -1],
  ['1.0.0', '0.99.99', 1],
  ['0.2.0', '0.2.0-rc.1', 0],
])('the versions %s and %s are ordered correctly', (one, other, sign) => {
  expect(Math.sign(compareVersions(one, other))).toBe(sign);
});

it('the ledger says which requirements are newer than a release', () => {
  const later = ledger.filter(({ since }) => since !== undefined).map(({ id }) => id);
  expect(later.length).toBeGreaterThan(0);
  expect([...newerThan(firstRelease)]).toEqual(later);
  expect([...newerThan('0.10.0')]).toEqual([]);
});

it('no requirement is newer than the next release, and none names the first release', () => {
  const given = ledger.flatMap(({ since }) => since ?? []);
  const [major = 0, minor = 0] = toolVersion.split('.').map(Number);
  const next = `${major}.${minor + 1}.0`;
  expect(given.filter((since) => !isVersion(since) || compareVersions(since, next) > 0)).toEqual([]);
  expect(given).not.toContain(firstRelease);
  expect(new Set(ledger.map(sinceOf)).has(firstRelease)).toBe(true);
});
