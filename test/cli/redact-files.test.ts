import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { redactFiles } from '../../cli/run-journal.js';
import { Redactor } from '../../targets/redaction.js';
import { folder } from '../folders.js';

it('the final redaction removes an encoded secret and names its file', async () => {
  const written = Buffer.from('Bearer sk-0123456789abcdef0123456789abcdef').toString('base64');
  const redactor = new Redactor();
  redactor.register('sk-0123456789abcdef0123456789abcdef', '$PLUMBLINE_KEY_MEMBER');
  const directory = folder();
  const [clean, dirty] = [join(directory, 'clean.json'), join(directory, 'dirty.json')];
  writeFileSync(clean, '{"a":1}\n');
  writeFileSync(dirty, `{"a":"${written}"}\n`);
  expect(await redactFiles([clean, dirty], redactor)).toEqual([dirty]);
  expect(readFileSync(clean, 'utf8')).toBe('{"a":1}\n');
  expect(readFileSync(dirty, 'utf8')).toContain('$PLUMBLINE_KEY_MEMBER');
  expect(readFileSync(dirty, 'utf8')).not.toContain(written);
});
