import type { SecretToStore } from './storer.js';

/** A text of a recipe with the secret in place of `{intern}`, `{name}`, `{value}` and `{scope}`, each written as its place asks. */
export function filled(
  text: string,
  { intern = '', name, value, scope }: SecretToStore,
  write: (word: string) => string,
): string {
  const words: Readonly<Record<string, string>> = { intern, name, value, scope };
  return text.replace(/\{(intern|name|value|scope)\}/g, (_, word: string) => write(words[word] ?? ''));
}
