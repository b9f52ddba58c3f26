import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

/** The text of a file of the checkout. */
export function readCheckoutFile(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** The documents of a YAML file of the checkout. Throws where it is not well-formed, or repeats a key. */
export function readYamlFile(path: string): readonly unknown[] {
  return parseYaml(readCheckoutFile(path));
}

/** The documents of a YAML text. Throws where it is not well-formed, or repeats a key. */
export function parseYaml(text: string): readonly unknown[] {
  return parseAllDocuments(text).map((document) => {
    for (const trouble of [...document.errors, ...document.warnings]) throw trouble;
    return document.toJS() as unknown;
  });
}
