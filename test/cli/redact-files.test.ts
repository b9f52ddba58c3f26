import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redactFiles } from '../../cli/run-journal.js';
import { Redactor } from '../../targets/redaction.js';
import { folder } from '../folders.js';

const key = 'sk-0123456789abcdef0123456789abcdef';

function knowing(...values: readonly string[]): Redactor {
  const redactor = new Redactor();
  for (const value of values) redactor.register(value, '$PLUMBLINE_KEY_MEMBER');
  return redactor;
}

describe('the final redaction of files', () => {
  it.each([
    ['in plain text', key],
    ['in base64', Buffer.from(`Bearer ${key}`).toString('base64')],
    ['in hex', Buffer.from(key).toString('hex')],
  ])('the final redaction removes a secret that is written %s and names the file', async (_name, written) => {
    const directory = folder();
    const [clean, dirty] = [join(directory, 'clean.json'), join(directory, 'dirty.json')];
    writeFileSync(clean, '{"a":1}\n');
    writeFileSync(dirty, `{"a":"${written}"}\n`);
    expect(await redactFiles([clean, dirty], knowing(key))).toEqual([dirty]);
    expect(readFileSync(clean, 'utf8')).toBe('{"a":1}\n');
    expect(readFileSync(dirty, 'utf8')).toContain('$PLUMBLINE_KEY_MEMBER');
    expect(readFileSync(dirty, 'utf8')).not.toContain(written);
    expect(await redactFiles([dirty], knowing(key))).toEqual([]);
  });
});
