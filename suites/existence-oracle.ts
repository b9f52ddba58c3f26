import { makeUnknown } from '../generators/ids.js';
import type { CheckContext, Credential } from '../judge/api.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import type { Role } from '../spec/vocabulary.js';
import { type Answered, headerValues, isAnswered, isTrouble } from '../targets/exchange.js';
import { freshName } from '../targets/world.js';
import { makeCredential, makePart } from './requests.js';

// §1 and §5: without a known key no workspace is selected, and nothing is told of what is in one.

const requirement = 'auth.no-existence-oracle';

/** Asks for an absent secret: that of a name which none has, or the given one of an intern which nobody knows. */
type AskForAbsent = (storedName: string, time: number) => Call;

/**
 * Checks that nobody without a known key learns what is stored, from the status, the body or a header beside what may tell
 * of the request. A server that checks the syntax of the path first tells nothing: it is good in all of these.
 */
export const noExistenceOracle: Check = check(requirement, { control: 'vault-delete' }, async (context) => {
  const { api, world } = context;
  const name = await world.store('own');
  for (const word of ['none', 'unknown-same-shape'] as const) {
    const as = makeCredential(word, 'member', world);
    const stored = await sendSettled(api.deleteSecret({ as, name }));
    // That it is served at all is judged elsewhere, and what follows would not be of a stored secret.
    if (stored.answer.status < 300) return;
    const nameIntern = (time: number) => makePart(makeUnknown('intern'), `${world.intern('own')} ${time}`);
    const absences: readonly AskForAbsent[] = [
      () => api.deleteSecret({ as, name: freshName() }),
      (storedName, time) => api.deleteSecret({ as, name: storedName, intern: nameIntern(time) }),
    ];
    for (const askForAbsent of absences) {
      const call = askForAbsent(name, 0);
      const absent = await sendSettled(call);
      const differing = await confirmDifferences(context, as, askForAbsent, { stored, absent });
      const [part = 'status'] = differing;
      const fields = part.startsWith(ofHeader) ? [part.slice(ofHeader.length)] : ['error'];
      call.expect(absent, requirement, {
        ok: differing.length === 0,
        expected: `${renderPart(stored, part)}, as for a secret that is stored`,
        actual: renderPart(absent, part),
        mismatch:
          part === 'status' ? { wrong: 'status', due: [stored.answer.status] } : { wrong: 'value', fields },
      });
    }
  }
});

// How often both answers must stay the same before a difference between them counts.
const repetitions = 4;

/**
 * Lists the parts in which two answers differ every time that such requests are sent. The others are about other secrets
 * and in another order, so that no server is accused that changes its mind for other reasons (a ban after some wrong keys),
 * computes a value from the path, or takes turns with another.
 */
async function confirmDifferences(
  { api, world }: CheckContext,
  as: Role | Credential,
  askForAbsent: AskForAbsent,
  { stored, absent }: { readonly stored: Answered; readonly absent: Answered },
): Promise<readonly string[]> {
  let differing = listDifferences(stored, absent);
  for (let time = 1; differing.length > 0 && time <= repetitions; time++) {
    const name = await world.store('own');
    const pairs = [
      [stored, api.deleteSecret({ as, name })],
      [absent, askForAbsent(name, time)],
    ] as const;
    for (const [first, call] of time % 2 === 0 ? pairs : pairs.toReversed()) {
      const next = await sendSettled(call);
      const changed = listDifferences(first, next);
      if (changed.includes('status'))
        throw new Disturbed(`requests alike got ${first.answer.status}, then ${next.answer.status}`);
      // What is never the same twice tells nothing.
      differing = differing.filter((part) => !changed.includes(part));
    }
  }
  return differing;
}

/** Sends a request to compare its answer with another's. Throws Disturbed where the server is in trouble. */
async function sendSettled(call: Call): Promise<Answered> {
  const exchange = await call.send();
  if (!isAnswered(exchange) || isTrouble(exchange)) throw new Disturbed(call.describe(exchange));
  return exchange;
}

// ── Parts of an answer ──

const ofHeader = 'header ';
// They are about the connection, whatever was asked.
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding'];

/** Lists the parts in which two answers differ: `status`, `body`, `header x-cache`. */
function listDifferences(one: Answered, other: Answered): readonly string[] {
  const [first, second] = [readParts(one), readParts(other)];
  const parts = new Set([...first.keys(), ...second.keys()]);
  return [...parts].filter((part) => first.get(part) !== second.get(part));
}

/** Reads the parts of an answer without what may depend on its request: words of the URL, ids, numbers, times. */
function readParts({ request, answer: { status, headers, text } }: Answered): ReadonlyMap<string, string> {
  const asked = new Set(request.url.toLowerCase().split(/[^\w-]+/));
  const isFree = (word: string) => /\d/.test(word) || asked.has(word.toLowerCase());
  const strip = (value: string) => value.replace(/[\w-]+/g, (word) => (isFree(word) ? '' : word));
  const parts = new Map([
    ['status', String(status)],
    ['body', strip(text)],
  ]);
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    const part = `${ofHeader}${name}`;
    if (!ofConnection.includes(name)) parts.set(part, `${parts.get(part) ?? ''}\n${strip(value)}`);
  }
  return parts;
}

/** Shows a part of an answer as it was received. */
function renderPart({ answer }: Answered, part: string): string {
  if (part === 'status') return String(answer.status);
  if (part === 'body') return answer.text;
  const name = part.slice(ofHeader.length);
  const values = headerValues(answer, name);
  return values.length === 0 ? `no header ${name}` : `${name}: ${values.join(', ')}`;
}
