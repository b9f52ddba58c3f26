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

/** What was typed to run this command, for commands to type next: those who use npx have no `plumbline` on their path. */
export const typedCommand: string =
  process.env.npm_command === 'exec' &&
  /[\\/]node_modules[\\/].*plumbline(?:\.js)?$/.test(process.argv[1] ?? '')
    ? 'npx plumbline-conformance'
    : 'plumbline';
