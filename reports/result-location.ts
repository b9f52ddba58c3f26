import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { isAlias, isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { areaOf, operationOfArea, type RequirementId } from '../spec/ledger.js';
import type { Failure } from '../spec/report.js';
import type { Operation } from '../spec/vocabulary.js';

/** A file of the user's repository into which findings are put, and the lines of the operations in it. */
export interface ResultLocation {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  /** Counted from 1. */
  readonly lines: ReadonlyMap<Operation, number>;
}

/** Method and end of the path of each operation; the names of parameters are free. */
const routes: readonly (readonly [Operation, method: string, path: string])[] = [
  ['vault-delete', 'delete', '/vault/interns/{}/secrets/{}'],
  ['guardrail-read', 'get', '/guardrails/{}'],
  ['key-info', 'get', '/key'],
  ['inference', 'post', '/chat/completions'],
];

/** Reads where findings go; of paths that end the same, the one below the base URL counts. Never throws. */
export function readResultLocation(file: string, baseUrl: string | null): ResultLocation {
  const basePath = baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl).pathname : '';
  return { path: locateInRepository(resolve(file)), lines: findOperations(readText(file), basePath) };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the path from the nearest folder that is a checkout, else from the working directory; outside both, the name alone. */
function locateInRepository(file: string): string {
  let root = dirname(file);
  while (!existsSync(resolve(root, '.git')) && dirname(root) !== root) root = dirname(root);
  const base = existsSync(resolve(root, '.git')) ? root : process.cwd();
  const path = relative(base, file);
  const isOutside = isAbsolute(path) || path.startsWith(`..${sep}`);
  return isOutside ? basename(file) : path.split(sep).join('/');
}

function findOperations(text: string, basePath: string): ReadonlyMap<Operation, number> {
  const found = listCandidates(text);
  const base = basePath.replace(/\/$/, '');
  const ofBase = (prefix: string) => (base.endsWith(prefix) ? prefix.length : -1);
  // The last of an operation counts, which is the best: below the path of the base URL, else with the shortest prefix.
  const ranked = found.toSorted(
    ({ prefix: one }, { prefix: other }) => ofBase(one) - ofBase(other) || other.length - one.length,
  );
  return new Map(ranked.map(({ operation, line }) => [operation, line]));
}

/** Lists where operations may be described, each below a prefix such as `/v1`. */
function listCandidates(text: string) {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, logLevel: 'silent' });
  const paths = isMap(document.contents) ? document.contents.get('paths', true) : undefined;
  return membersOf(paths).flatMap(([path, item]) => {
    const template = String(path.value).replace(/\{[^}]*\}/g, '{}');
    return membersOf(isAlias(item) ? item.resolve(document) : item).flatMap(([method]) =>
      routes
        .filter(([, wanted, end]) => method.value === wanted && template.endsWith(end))
        .map(([operation, , end]) => ({
          operation,
          prefix: template.slice(0, -end.length),
          line: lineCounter.linePos(method.range?.[0] ?? 0).line,
        })),
    );
  });
}

function membersOf(node: unknown) {
  if (!isMap<Node, Node | null>(node)) return [];
  return node.items.flatMap(({ key, value }) => (isScalar(key) ? [[key, value] as const] : []));
}

/** Returns the line of the operation that failed a requirement, 1 where the file does not describe it. */
export function findLine({ lines }: ResultLocation, id: RequirementId, failure: Failure | undefined): number {
  const operation = failure?.situation_parts?.operation ?? operationOfArea[areaOf(id)];
  return (operation === undefined ? undefined : lines.get(operation)) ?? 1;
}
