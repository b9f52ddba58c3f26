import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Answer, type Behaviour, type Call, isFrames } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { isJsonObject } from '../../reference/vocabulary.js';
import { base64Core } from '../../targets/secret-index.js';

/** Ways to write each character by itself, so that a part of a text is written as a part of its writing. */
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

const others: Readonly<Record<string, (text: string) => string>> = {
  reversed,
  'in base64': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'in base64url in lines': (text) =>
    Buffer.from(`..${text}`).toString('base64url').replace(/.{40}/g, '$&\r\n'),
};

const writings = [...Object.values(byCharacter), ...Object.values(others)];

/** A server that conforms but for repeating secrets, and those that it repeated. */
export interface EchoAttack {
  readonly behaviour: Behaviour;
  readonly told: ReadonlySet<string>;
}

/**
 * Repeats keys of the caller's world and whatever else is given in every writing: in bodies, headers,
 * reason phrases, trailers and streams.
 * @param more gives what is to be repeated beside keys
 */
export function echoAttack(more: (call: Call) => readonly string[]): EchoAttack {
  const told = new Set<string>();
  let count = 0;
  const answer = (given: Answer, call: Call): Answer => {
    count += 1;
    const own = [...(call.key?.world.keys.values() ?? [])].map(({ text }) => text).slice(0, 2);
    const secrets = [...more(call), ...own];
    for (const secret of secrets) told.add(secret);
    return secrets.length === 0 ? given : repeating(given, secrets, count);
  };
  return { behaviour: { ...conforming, answer }, told };
}

function repeating(answer: Answer, secrets: readonly string[], count: number): Answer {
  const written = secrets.flatMap((secret) => writings.map((write) => write(secret)));
  const some = (at: number): string => oneLine(written[(7 * count + at) % written.length] ?? '');
  const { headers, body, status } = answer;
  const echoed = { ...answer, headers: { ...headers, 'X-Echo': some(0), 'X-Again': some(5) } };
  const phrase = { ...echoed, reasonPhrase: `Because of ${some(11)}` };
  if (status === 204) return phrase;
  const trailers = { 'X-Late-Echo': some(3), 'X-Later': some(8) };
  if (isFrames(body))
    return { ...phrase, trailers, body: [{ comment: some(1) }, { comment: some(6) }, ...body] };
  if (!isJsonObject(body)) return { ...phrase, trailers };
  return {
    ...phrase,
    trailers,
    body: { ...body, echo: written, [some(2)]: `${some(4)}${'.'.repeat(count % 97)}` },
  };
}

/** As a header may hold it. */
function oneLine(text: string): string {
  return text.replaceAll('\r\n', '');
}

function eachByte(text: string, write: (hex: string) => string): string {
  return [...Buffer.from(text)].map((byte) => write(byte.toString(16).padStart(2, '0'))).join('');
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

const run = 16;

/** Everything that a run wrote into a folder, and what it printed, by name. */
export function written(
  directory: string,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): ReadonlyMap<string, string> {
  const files = readdirSync(directory).map(
    (file) => [file, readFileSync(join(directory, file), 'utf8')] as const,
  );
  return new Map([...files, ['stdout', stdout], ['stderr', stderr]]);
}

/** Fails where 16 characters in a row of a secret stand in a text, in any writing. */
export function expectNoRun(texts: ReadonlyMap<string, string>, secrets: Iterable<string>): void {
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
      for (const write of [...Object.values(byCharacter), reversed]) seek(write(part));
      for (const offset of [0, 1, 2]) {
        const core = base64Core(part, offset);
        seek(core);
        seek(core.replaceAll('+', '-').replaceAll('/', '_'));
      }
    }
  }
  for (const [name, text] of texts) {
    const lower = text.toLowerCase();
    // A text within JSON has its backslashes doubled.
    for (const seen of [lower, lower.replace(/\\\\/g, '\\')]) {
      for (let at = 0; at + run <= seen.length; at++) {
        if (!beginnings.has(seen.slice(at, at + 6))) continue;
        for (const [length, parts] of byLength)
          if (parts.has(seen.slice(at, at + length)))
            expect.fail(`${name} holds a part of a secret: ${seen.slice(Math.max(0, at - 60), at + 8)}…`);
      }
    }
  }
}
