import { readFileSync } from 'node:fs';

/** The version of this package, as package.json states it; from the sources and from dist alike. */
export const toolVersion: string = readVersion(['../package.json', '../../package.json']);

function readVersion(places: readonly string[]): string {
  for (const place of places) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8'));
      const { name, version } = manifest as { readonly name?: unknown; readonly version?: unknown };
      if (name === 'plumbline-conformance' && typeof version === 'string') return version;
    } catch {
      // Not there: the next place is tried.
    }
  }
  throw new Error('package.json of plumbline-conformance was not found beside the program.');
}

/** The first release with a ledger; rows without `since` came with it. */
export const firstRelease = '0.1.0';

/** Whether a text is a version of three numbers, such as `0.1.0`. */
export function isVersion(text: string): boolean {
  return /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/.test(text);
}

/** Compares versions for sorting: negative if the first is older. A pre-release counts as its release. */
export function compareVersions(one: string, other: string): number {
  const releaseOf = (version: string) => version.replace(/[+-].*/, '');
  return releaseOf(one).localeCompare(releaseOf(other), 'en', { numeric: true });
}
