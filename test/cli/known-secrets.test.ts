import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { isJsonObject } from '../../reference/vocabulary.js';
import { folder } from '../folders.js';
import { type Rewrite, withLongKeys } from './long-keys.js';
import { idsWith, plumbline, readReport, start } from './plumbline-process.js';
import { expectNoSecret, readWritten } from './secret-search.js';
import { serveReference } from './servers.js';

/** Errors whose bodies, members and headers are full of the newest keys, behind a padding of every length. */
const repeating: Rewrite = ({ status, path, count }, keys) => {
  if (keys.length === 0) return undefined;
  const some = keys.slice(-11);
  const fill = (characters: number): string =>
    '.'.repeat(count % 211) + some.join('').repeat(Math.ceil(characters / some.join('').length));
  if (path.endsWith('/key') && status === 200)
    return {
      body: JSON.stringify({
        data: { label: 7, limit_reset: fill(9_000), [some.slice(0, 4).join('')]: 1 },
      }),
    };
  if (status < 400) return undefined;
  const headers = { 'Retry-After': fill(6_000), Server: `cloudflare ${fill(300)}` };
  if (count % 5 === 0) return { headers: { ...headers, 'Content-Type': 'text/html' }, body: fill(9_000) };
  const body = {
    error: { code: status, message: 7 },
    [some.slice(0, 2).join('')]: fill(count % 3 === 0 ? 450_000 : 9_000),
  };
  return { headers, body: JSON.stringify(body) };
};

describe('keys that a server echoes wherever a text may be cut', () => {
  it('no file or output contains a part of an echoed key', async () => {
    const { controlUrl, keys } = await withLongKeys(71, repeating);
    const directory = folder();
    const flags = ['--depth', 'quick', '--max-requests', '100', '--report', directory];
    const { code, stdout, stderr } = await plumbline(['run', '--control', controlUrl, ...flags], {
      everyFormat: true,
    });
    expect([1, 3, 4]).toContain(code);
    expect(keys.length).toBeGreaterThan(20);
    const report = readReport(directory);
    expect(report.run.notes.join()).not.toContain('was taken out');
    const texts = readWritten(directory, { stdout, stderr });
    expect(texts.get('journal.ndjson')).toContain('$PLUMBLINE_KEY_MEMBER');
    expectNoSecret(texts, keys);
  });
});

/** A server that echoes the first key it ever saw in every error, long after its world is gone. */
function repeatingTheFirst(): { readonly behaviour: Behaviour; readonly first: () => string } {
  let first: string | undefined;
  return {
    first: () => first ?? expect.fail('no key was seen'),
    behaviour: {
      ...conforming,
      answer: (answer, { key }) => {
        first ??= key?.text;
        const { body } = answer;
        if (answer.status < 400 || !isJsonObject(body) || !isJsonObject(body.error)) return answer;
        return { ...answer, body: { ...body, error: { ...body.error, message: `Not as ${first} did` } } };
      },
    },
  };
}

describe('a server that repeats a key of an early world', () => {
  it('a server that echoes a key of an early world gets an advisory finding, and no output contains the key', async () => {
    const { behaviour, first } = repeatingTheFirst();
    const { controlUrl } = await serveReference({ behaviour });
    const directory = folder();
    // Advisory findings are confirmed too, with more requests than depth quick has left.
    const flags = ['--depth', 'quick', '--max-requests', '700', '--report', directory];
    const { code, stdout, stderr } = await plumbline(['run', '--control', controlUrl, ...flags], {
      everyFormat: true,
    });
    expect([code, stdout.split(':')[0]]).toEqual([0, 'conformant']);
    const report = readReport(directory);
    expect(idsWith(report, 'fail')).toContain('secrecy.other-key-echo');
    expect(report.run.notes).toEqual([]);
    const texts = readWritten(directory, { stdout, stderr });
    expect(texts.get('journal.ndjson')).toContain('Not as $PLUMBLINE_KEY_');
    expectNoSecret(texts, [first()]);
  });

  it('neither a killed run nor its rendered report contains an echoed key', async () => {
    const { behaviour, first } = repeatingTheFirst();
    const { controlUrl } = await serveReference({ behaviour });
    const [directory, again] = [folder(), folder()];
    const running = start(['run', '--control', controlUrl, '--report', directory]);
    const journal = join(directory, 'journal.ndjson');
    while (!existsSync(journal) || !readFileSync(journal, 'utf8').includes('Not as ')) await sleep(5);
    await sleep(500);
    running.child.kill('SIGKILL');
    await running.ended;
    expectNoSecret(readWritten(directory), [first()]);
    await plumbline(['report', '--from', directory, '--report', again]);
    expect(readdirSync(again)).toContain('traffic.har');
    expectNoSecret(readWritten(again), [first()]);
  });
});

it('worlds that share one disabled key are judged like any others', async () => {
  const { controlUrl } = await serveReference({ capabilities: { sharedKeys: ['disabled'] } });
  const directory = folder();
  const flags = ['--depth', 'quick', '--report', directory];
  const { code } = await plumbline(['run', '--control', controlUrl, ...flags]);
  const report = readReport(directory);
  expect([code, report.run.notes, idsWith(report, 'fail')]).toEqual([0, [], []]);
  expect(idsWith(report, 'pass')).toContain('secrecy.other-key-echo');
});

it("a shared key that is echoed to another world is not a leak of another world's key", async () => {
  const { controlUrl } = await serveReference({
    capabilities: { sharedKeys: ['disabled'] },
    behaviour: {
      ...conforming,
      answer: (answer, { key, server: { memory } }) => {
        if (key?.role === 'disabled') memory.set('refused', key.text);
        return answer.status === 401
          ? { ...answer, headers: { ...answer.headers, 'X-Refused': String(memory.get('refused') ?? '') } }
          : answer;
      },
    },
  });
  const directory = folder();
  const only = '--only auth.disabled-key --only secrecy.* --depth quick --max-requests 700'.split(' ');
  const { code } = await plumbline(['run', '--control', controlUrl, ...only, '--report', directory]);
  expect(code).toBe(0);
  expect(idsWith(readReport(directory), 'fail')).toEqual(['secrecy.key-echo']);
});
