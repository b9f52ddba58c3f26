import type { ErrorObject } from 'ajv';
import { cutText } from './cut-text.js';
import { inertText } from './inert-text.js';

/** Where a value breaks a schema, and how, in some words; the names of members come from the file, and may be anything. */
export function schemaFaultText(errors: readonly ErrorObject[] | null | undefined): string {
  const [first] = errors ?? [];
  if (first === undefined) return 'it breaks its schema';
  const place = first.instancePath === '' ? 'the whole' : first.instancePath;
  return inertText(`${cutText(place, 120)} ${wordsOf(first)}`);
}

function wordsOf({ keyword, message = 'breaks its schema' }: ErrorObject): string {
  // The expression would tell nobody anything.
  return keyword === 'pattern' ? 'is not written as it is to be' : message;
}
