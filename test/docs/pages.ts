import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** Every page that a reader is given, by its path in the checkout. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'examples'].flatMap((part) =>
    readdirSync(fileURLToPath(new URL(part, root)), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => `${part}/${name}`),
  ),
].toSorted();

export function readPage(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** The files of the checkout that a text links to, relative to its own. */
export function findLocalLinks(text: string): readonly string[] {
  const links = [...text.matchAll(/\]\(([^)#\s]*)(?:#[^)\s]*)?\)/g)].map(([, to = '']) => to);
  return links.filter((to) => to !== '' && !/^[a-z]+:/.test(to));
}

export interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, those in lists without their indentation. */
export function findBlocks(page: string): readonly Block[] {
  const found = readPage(page).matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm);
  return [...found].map(([, indent = '', language = '', text = '']) => ({
    page,
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The commands of all pages, each once: those of `sh` blocks, without the words that explain them. */
export function listCommands(): readonly string[] {
  const blocks = pages.flatMap(findBlocks).filter(({ language }) => language === 'sh');
  const lines = blocks.flatMap(({ text }) => text.replaceAll(/\s*\\\n\s*/g, ' ').split('\n'));
  return [...new Set(lines.map((line) => line.replace(/(?:^|\s+)#.*$/, '').trim()))].filter(Boolean);
}
