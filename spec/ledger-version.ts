import { ledger, type RequirementId, type RequirementRow } from './ledger.js';

/** The release that brought the ledger; a row that does not say in which it came, came with it. */
export const firstRelease = '0.1.0';

/** The release in which a row came. */
export function sinceOf({ since }: Pick<RequirementRow, 'since'>): string {
  return since ?? firstRelease;
}

/** Whether a text is a version of three numbers, `0.1.0`. */
export function isVersion(text: string): boolean {
  return /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/.test(text);
}

/** Below 0 where the first version came before the second, 0 where they are one; a pre-release counts as its release. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [numbersOf(one), numbersOf(other)];
  return first.map((number, at) => number - (second[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** The ids of the rows that came after a release. */
export function newerThan(
  version: string,
  rows: readonly Pick<RequirementRow, 'id' | 'since'>[] = ledger,
): ReadonlySet<RequirementId> {
  return new Set(rows.filter((row) => compareVersions(sinceOf(row), version) > 0).map(({ id }) => id));
}

function numbersOf(version: string): readonly number[] {
  return version.split(/[.+-]/).slice(0, 3).map(Number);
}
