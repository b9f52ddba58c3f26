import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { redactFile } from '../../cli/run-journal.js';
import type { Answer, Behaviour } from '../../reference/behaviour.js';
import { isJsonObject } from '../../reference/vocabulary.js';
import { Redactor } from '../../targets/redaction.js';
import { watchSecrets } from '../behaviours.js';
import { folder } from '../folders.js';
import { idsWith } from '../report-rows.js';
import { serveReference } from '../servers.js';
import { plumbline, runOnReference, start, waitForJournal } from './plumbline-process.js';
import { expectNoSecret, readWritten } from './secret-search.js';

/** Errors whose bodies, members, headers and other parts are full of the newest keys, behind a padding of every length. */
function repeatKeys(answer: Answer, keys: readonly string[], count: number): Answer {
  const some = keys.slice(-11);
  const fill = (characters: number): string =>
    '.'.repeat(count % 211) + some.join('').repeat(Math.ceil(characters / some.join('').length));
  const { status, body } = answer;
  if (isJsonObject(body) && isJsonObject(body.data) && 'limit_reset' in body.data) {
    const data = { label: 7, limit_reset: fill(9_000), [some.slice(0, 4).join('')]: 1 };
    return { ...answer, body: { data } };
  }
  if (status < 400) return answer;
  const headers = { ...answer.headers, 'Retry-After': fill(6_000), Server: `cloudflare ${fill(300)}` };
  if (count % 5 === 0)
    return { ...answer, headers: { ...headers, 'Content-Type': 'text/html' }, body: fill(9_000) };
  const long = fill(count % 3 === 0 ? 450_000 : 9_000);
  const echo = { reasonPhrase: `Because of ${fill(300)}`, trailers: { 'X-Late': fill(300) } };
  const error = { code: status, message: 7 };
  return { ...answer, headers, body: { error, [some.slice(0, 2).join('')]: long }, ...echo };
}

it('no file or output contains a part of a key or of the control token that a server echoes wherever a text may be cut', async () => {
  const controlToken = 'a-control-token-of-the-test-7f3a';
  let count = 0;
  const secrets = watchSecrets({
    answer: (answer) => {
      count += 1;
      return secrets.keys.size === 0 ? answer : repeatKeys(answer, [...secrets.keys, controlToken], count);
    },
  });
  const flags = '--depth quick --max-requests 70';
  const options = { controlToken, behaviour: secrets.behaviour };
  const surroundings = { everyFormat: true, env: { PLUMBLINE_CONTROL_TOKEN: controlToken } };
  const run = await runOnReference(options, flags, surroundings);
  expect([1, 3, 4]).toContain(run.code);
  expect(secrets.keys.size).toBeGreaterThan(20);
  expect(run.report().run.notes.join()).not.toContain('a secret was found');
  const texts = readWritten(run.directory, run);
  for (const name of ['$PLUMBLINE_KEY_MEMBER', '$PLUMBLINE_CONTROL_TOKEN'])
    expect(texts.get('journal.ndjson')).toContain(name);
  expectNoSecret(texts, [...secrets.keys, controlToken]);
});

/** A server that echoes the first key it ever saw in every error, long after its world is gone. */
function repeatingTheFirst(): { readonly behaviour: Partial<Behaviour>; readonly first: () => string } {
  let first: string | undefined;
  return {
    first: () => first ?? expect.fail('no key was seen'),
    behaviour: {
      answer: (answer, { key }) => {
        first ??= key?.text;
        const { body } = answer;
        if (answer.status < 400 || !isJsonObject(body) || !isJsonObject(body.error)) return answer;
        return { ...answer, body: { ...body, error: { ...body.error, message: `Not as ${first} did` } } };
      },
    },
  };
}

it('a server that echoes a key of an early world gets an advisory finding, and no output contains the key', async () => {
  const { behaviour, first } = repeatingTheFirst();
  const flags = '--depth quick --max-requests 700 --only {secrecy,auth,guardrail-read}.*';
  const run = await runOnReference({ behaviour }, flags, { everyFormat: true });
  expect([run.code, run.stdout.split(':')[0]]).toEqual([0, 'conformant']);
  expect(idsWith(run.report(), 'fail')).toContain('secrecy.other-key-echo');
  expect(run.report().run.notes).toEqual([]);
  const texts = readWritten(run.directory, run);
  expect(texts.get('journal.ndjson')).toContain('Not as $PLUMBLINE_KEY_');
  expectNoSecret(texts, [first()]);
});

it('neither a killed run nor its rendered report contains an echoed key', async () => {
  const { behaviour, first } = repeatingTheFirst();
  const { controlUrl } = await serveReference({ behaviour });
  const [directory, again] = [folder(), folder()];
  const running = start(`run --control ${controlUrl} --report ${directory}`);
  await waitForJournal(directory, 'Not as ');
  await sleep(300);
  running.child.kill('SIGKILL');
  await running.ended;
  expectNoSecret(readWritten(directory), [first()]);
  await plumbline(`report --from ${directory} --report ${again}`);
  expect(readdirSync(again)).toContain('traffic.har');
  expectNoSecret(readWritten(again), [first()]);
});

it("a shared key that is echoed to another world is not a leak of another world's key", async () => {
  const behaviour: Partial<Behaviour> = {
    answer: (answer, { key, server: { memory } }) => {
      if (key?.role === 'disabled') memory.set('refused', key.text);
      const headers = { ...answer.headers, 'X-Refused': String(memory.get('refused') ?? '') };
      return answer.status === 401 ? { ...answer, headers } : answer;
    },
  };
  const { code, report } = await runOnReference(
    { capabilities: { sharedKeys: ['disabled'] }, behaviour },
    '--only auth.disabled-key --only secrecy.* --depth quick --max-requests 700',
  );
  expect([code, idsWith(report(), 'fail')]).toEqual([0, ['secrecy.key-echo']]);
});

it('the final redaction removes an encoded secret and says which file held one', async () => {
  const written = Buffer.from('Bearer sk-0123456789abcdef0123456789abcdef').toString('base64');
  const redactor = new Redactor();
  redactor.register('sk-0123456789abcdef0123456789abcdef', '$PLUMBLINE_KEY_MEMBER');
  const directory = folder();
  const [clean, dirty] = [join(directory, 'clean.json'), join(directory, 'dirty.json')];
  writeFileSync(clean, '{"a":1}\n');
  writeFileSync(dirty, `{"a":"${written}"}\n`);
  expect([await redactFile(clean, redactor), await redactFile(dirty, redactor)]).toEqual([false, true]);
  expect(readFileSync(clean, 'utf8')).toBe('{"a":1}\n');
  expect(readFileSync(dirty, 'utf8')).toContain('$PLUMBLINE_KEY_MEMBER');
  expect(readFileSync(dirty, 'utf8')).not.toContain(written);
});
