import { randomBytes } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const PREFIX = 'sk-';
const LENGTH = PREFIX.length + 48;

/** An API key nobody can guess: `sk-` and 48 letters and digits, drawn without bias. */
export function randomKey(): string {
  let key = PREFIX;
  while (key.length < LENGTH) {
    for (const byte of randomBytes(64)) {
      // Six bits give 0 to 63; the two values beyond the alphabet are thrown away.
      if (key.length < LENGTH) key += LETTERS[byte & 63] ?? '';
    }
  }
  return key;
}
