import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Ended } from './command-runner.js';

/** Encodings that encode each character on its own, so that a part of a text becomes a part of the encoded text. */
const byCharacter: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'upper-case': (text) => text.toUpperCase(),
  'percent-encoded': (text) => eachByte(text, (byte) => `%${byte}`),
  'percent-encoded twice': (text) => eachByte(text, (byte) => `%25${byte}`),
  'escaped as in JavaScript': (text) => eachByte(text, (byte) => `\\u00${byte}`),
  'in decimal entities': (text) => eachByte(text, (byte) => `&#${Number.parseInt(byte, 16)};`),
  'in hexadecimal entities': (text) => eachByte(text, (byte) => `&#x${byte};`),
  'in hex': (text) => eachByte(text, (byte) => byte),
  'in hex with colons': (text) => eachByte(text, (byte) => `:${byte.toUpperCase()}`),
  'in hex with spaces': (text) => eachByte(text, (byte) => ` ${byte}`),
};

function eachByte(text: string, write: (hex: string) => string): string {
  const hex = Buffer.from(text).toString('hex');
  let written = '';
  for (let at = 0; at < hex.length; at += 2) written += write(hex.slice(at, at + 2));
  return written;
}

function reverse(text: string): string {
  return [...text].reverse().join('');
}

/** The number of consecutive characters of a secret that no text may contain. */
const run = 16;

/** Reads all files that a run wrote into a folder; returns them with both outputs, by name. */
export function readWritten(
  directory: string,
  { stdout = '', stderr = '' }: Partial<Pick<Ended, 'stdout' | 'stderr'>> = {},
): ReadonlyMap<string, string> {
  const files = readdirSync(directory).map(
    (file) => [file, readFileSync(join(directory, file), 'utf8')] as const,
  );
  return new Map([...files, ['stdout', stdout], ['stderr', stderr]]);
}

/** Fails if a text, or one of several named ones, contains 16 consecutive characters of a secret in any encoding. */
export function expectNoSecret(texts: ReadonlyMap<string, string> | string, secrets: Iterable<string>): void {
  const byLength = new Map<number, Set<string>>();
  const beginnings = new Set<string>();
  const seek = (text: string): void => {
    const alike = byLength.get(text.length) ?? new Set();
    byLength.set(text.length, alike.add(text.toLowerCase()));
    beginnings.add(text.slice(0, 6).toLowerCase());
  };
  for (const secret of secrets) {
    for (let at = 0; at + run <= secret.length; at++) {
      const part = secret.slice(at, at + run);
      for (const write of [...Object.values(byCharacter), reverse]) seek(write(part));
      for (const offset of [0, 1, 2]) {
        const core = base64Core(part, offset);
        seek(core);
        seek(core.replaceAll('+', '-').replaceAll('/', '_'));
      }
    }
  }
  for (const [name, text] of typeof texts === 'string' ? [['the output', texts] as const] : texts) {
    const lower = text.toLowerCase();
    // In JSON, backslashes are doubled.
    for (const seen of new Set([lower, lower.replace(/\\\\/g, '\\')])) {
      for (let at = 0; at + run <= seen.length; at++) {
        if (!beginnings.has(seen.slice(at, at + 6))) continue;
        for (const [length, parts] of byLength)
          if (parts.has(seen.slice(at, at + length)))
            expect.fail(`${name} holds a part of a secret: ${seen.slice(Math.max(0, at - 60), at + 8)}…`);
      }
    }
  }
}

/** Returns the characters of a base64 text that depend on `value` only, if it begins `offset` bytes into a group of three. */
function base64Core(value: string, offset: number): string {
  const encoded = Buffer.from('\0'.repeat(offset) + value).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + Buffer.byteLength(value)) * 8) / 6);
  return encoded.slice(first, last);
}
