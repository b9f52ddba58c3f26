import { type Answer, type Frame, isFrames } from '../behaviour.js';
import type { Override } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';

/** How the parts of a JSON text are written; what is left out is written as `JSON.stringify` does. */
export interface Spelling {
  readonly number?: (value: number) => string;
  /** A string, its quotes included; names of members too. */
  readonly string?: (text: string) => string;
  /** What stands on both sides of every bracket, colon and comma. */
  readonly space?: string;
  /** Members come in the opposite order. */
  readonly reversed?: true;
}

/** Every JSON body, and every JSON chunk of a stream, is written with this spelling. */
export function respelled(spelling: Spelling): Override {
  return { answer: (answer) => ({ ...answer, body: respelledBody(answer.body, spelling) }) };
}

function respelledBody(body: Answer['body'], spelling: Spelling): Answer['body'] {
  if (isFrames(body)) return body.map((frame) => respelledFrame(frame, spelling));
  return isJsonObject(body) ? jsonText(body, spelling) : body;
}

// A data line ends where the line ends: only blanks may stand in it.
function respelledFrame(frame: Frame, spelling: Spelling): Frame {
  if (!('data' in frame) || !isJsonObject(frame.data)) return frame;
  const space = (spelling.space ?? '').replace(/\s/g, ' ');
  return { data: jsonText(frame.data, { ...spelling, space }) };
}

function jsonText(value: unknown, spelling: Spelling): string {
  const { number = String, string = JSON.stringify, space = '', reversed } = spelling;
  const inside = (open: string, parts: readonly string[], close: string): string => {
    const ordered = reversed ? parts.toReversed() : parts;
    return `${space}${open}${space}${ordered.join(`${space},${space}`)}${space}${close}${space}`;
  };
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return string(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = reversed ? value.toReversed() : value;
    return inside(
      '[',
      items.map((item) => jsonText(item, spelling)),
      ']',
    );
  }
  if (!isJsonObject(value)) return String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return inside(
    '{',
    members.map(([name, member]) => `${string(name)}${space}:${space}${jsonText(member, spelling)}`),
    '}',
  );
}
