import type { IncomingMessage } from 'node:http';

/** How long an answer may take before it counts as none, in milliseconds. */
export const PATIENCE_MS = 1_500;

/** An answer as text: status line, header lines in order but `Date`, body, trailers. */
export async function answerText(response: IncomingMessage, reused: boolean): Promise<string> {
  const parts: string[] = [];
  response.setEncoding('latin1');
  for await (const part of response) parts.push(String(part));
  return [
    `HTTP/${response.httpVersion} ${response.statusCode} ${response.statusMessage}`,
    ...headerLines(response.rawHeaders),
    '',
    parts.join(''),
    ...headerLines(response.rawTrailers),
    ...(response.complete ? [] : ['(cut short)']),
    reused ? '(on the kept connection)' : '(on a new connection)',
  ].join('\n');
}

function headerLines(raw: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() !== 'date') lines.push(`${raw[at]}: ${raw[at + 1]}`);
  }
  return lines;
}
