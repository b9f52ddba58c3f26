import { type Answer, type Behaviour, type Call, isFrames } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { isJsonObject } from '../../reference/vocabulary.js';
import { byCharacter, reverse } from './secret-search.js';

const others: Readonly<Record<string, (text: string) => string>> = {
  reversed: reverse,
  'in base64': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'in base64url in lines': (text) =>
    Buffer.from(`..${text}`).toString('base64url').replace(/.{40}/g, '$&\r\n'),
};

const writings = [...Object.values(byCharacter), ...Object.values(others)];

/**
 * A server that conforms but for repeating keys of the caller's world, and whatever else is given, in every writing: in
 * bodies, headers, reason phrases, trailers and streams. `echoed` has what it repeated.
 * @param more gives what is to be repeated beside keys
 */
export function echoAttack(more: (call: Call) => readonly string[]) {
  const echoed = new Set<string>();
  let count = 0;
  const answer = (given: Answer, call: Call): Answer => {
    count += 1;
    const own = [...(call.key?.world.keys.values() ?? [])].map(({ text }) => text).slice(0, 2);
    const secrets = [...more(call), ...own];
    for (const secret of secrets) echoed.add(secret);
    return secrets.length === 0 ? given : repeating(given, secrets, count);
  };
  const behaviour: Behaviour = { ...conforming, answer };
  return { behaviour, echoed };
}

function repeating(answer: Answer, secrets: readonly string[], count: number): Answer {
  const written = secrets.flatMap((secret) => writings.map((write) => write(secret)));
  const some = (at: number): string => oneLine(written[(7 * count + at) % written.length] ?? '');
  const { headers, body, status } = answer;
  const withHeaders = { ...answer, headers: { ...headers, 'X-Echo': some(0), 'X-Again': some(5) } };
  const phrase = { ...withHeaders, reasonPhrase: `Because of ${some(11)}` };
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
