import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';

/** What the code of a package leads to from where it is entered. */
export interface Reachable {
  /** Files of the package, by their paths. */
  readonly files: ReadonlySet<string>;
  /** Other packages, by their names. */
  readonly packages: ReadonlySet<string>;
}

/** Follows every import from the files that a package is entered by, dynamic ones and workers included. */
export function reachable(entries: readonly string[]): Reachable {
  const files = new Set<string>();
  const packages = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const asked of importsOf(readFileSync(file, 'utf8'))) {
      if (asked.startsWith('.')) open.push(...existing(join(dirname(file), asked)));
      else if (!asked.startsWith('node:') && !builtinModules.includes(asked)) packages.add(packageOf(asked));
    }
  }
  return { files, packages };
}

const imports = [
  /^import\s+(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm,
  /^export\s+(?:\*|\{[^}]*\})[^'";]*?\sfrom\s+['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]/g,
  /\brequire\(\s*['"]([^'"]+)['"]/g,
  /new URL\(\s*['"]([^'"]+\.js)['"]/g,
];

function importsOf(text: string): readonly string[] {
  return imports.flatMap((pattern) => [...text.matchAll(pattern)].flatMap(([, asked]) => asked ?? []));
}

function existing(file: string): readonly string[] {
  return existsSync(file) ? [file] : [];
}

/** The package of a module: `ajv/dist/2020.js` is of `ajv`. */
function packageOf(asked: string): string {
  return asked
    .split('/')
    .slice(0, asked.startsWith('@') ? 2 : 1)
    .join('/');
}
