import type { MadeCredential } from '../generators/credential.js';
import { makeUnknown } from '../generators/ids.js';
import type { CheckContext } from '../judge/api.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import { type Answered, headerValues, isAnswered, isTrouble } from '../targets/exchange.js';

// §1 and §5: without a known key, no workspace is selected, and no response may reveal what is in one.

const requirement = 'auth.no-existence-oracle';

/** Makes a delete of a secret that does not exist: an unused name, or the stored name at another intern. */
type DeleteAbsent = (storedName: string, time: number) => Call;

/**
 * Checks that status, body and headers do not reveal to callers without a known key what is stored; what these repeat of
 * the request does not count. All paths are well formed, so a server may check their syntax first.
 */
export const noExistenceOracle: Check = check(requirement, { control: 'vault-delete' }, async (context) => {
  const { api, world, offers } = context;
  const name = await world.store('own');
  let other: ReturnType<typeof context.openWorld> | undefined;
  const openOther = () => (other ??= context.openWorld());
  for (const as of ['none', 'unknown-same-shape'] as const) {
    const stored = await sendSettled(api.deleteSecret({ as, name }));
    // If it is served, which other checks judge, the secret is gone and there is nothing to compare.
    if (stored.answer.status < 300) return;
    const { label, of } = makeUnknown('intern');
    const nameIntern = (time: number) => ({ label, raw: of(`${world.intern('own')} ${time}`) });
    const absences: DeleteAbsent[] = [
      () => api.deleteSecret({ as, name: world.names.next() }),
      (storedName, time) => api.deleteSecret({ as, name: storedName, intern: nameIntern(time) }),
    ];
    if (offers('intern:foreign'))
      absences.push((storedName) => api.deleteSecret({ as, name: storedName, intern: 'foreign' }));
    for (const deleteAbsent of absences) {
      const call = deleteAbsent(name, 0);
      const absent = await sendSettled(call);
      const repeated = await confirmDifferences(context, as, deleteAbsent, { stored, absent });
      const differing = await dropOfPath(repeated, openOther, (to, nth) =>
        to.api.deleteSecret({ as, name: to.world.names.next(), intern: nameIntern(1_000 + nth) }),
      );
      const [part = 'status'] = differing;
      const fields = [readHeaderName(part) ?? 'error'];
      call.expect(absent, requirement, {
        ok: differing.length === 0,
        expected: `${renderPart(stored, part)}, as for a secret that is stored`,
        actual: renderPart(absent, part),
        mismatch:
          part === 'status' ? { wrong: 'status', due: [stored.answer.status] } : { wrong: 'value', fields },
      });
      if (differing.length > 0) return;
    }
  }
});

// How often both answers must recur before a difference counts. Four times would take more requests than a world may get.
const repetitions = 3;

/**
 * Lists the parts in which two answers differ every time. Each repetition names other secrets, in the opposite order, in case
 * answers change for another reason (a ban after some wrong keys), are computed from the path, or come from two machines in
 * turn.
 */
async function confirmDifferences(
  { api, world }: CheckContext,
  as: MadeCredential,
  deleteAbsent: DeleteAbsent,
  { stored, absent }: { readonly stored: Answered; readonly absent: Answered },
): Promise<readonly Part[]> {
  let differing = listDifferences(stored, absent);
  for (let time = 1; differing.length > 0 && time <= repetitions; time++) {
    const name = await world.store('own');
    const pairs = [
      [stored, api.deleteSecret({ as, name })],
      [absent, deleteAbsent(name, time)],
    ] as const;
    for (const [first, call] of time % 2 === 0 ? pairs : pairs.toReversed()) {
      const next = await sendSettled(call);
      const changed = listDifferences(first, next);
      if (changed.includes('status'))
        throw new Disturbed(
          `the same kind of request got ${first.answer.status}, then ${next.answer.status}`,
        );
      // A part that changes between equal requests reveals nothing.
      differing = differing.filter((part) => !changed.includes(part));
    }
  }
  return differing;
}

// If the path chooses one of two machines, the same one answers all of so many requests in one run of 128.
const unknownInterns = 8;

/**
 * Drops the parts that differ between interns none of which exists: they depend on the path, as where a balancer chooses a
 * machine by the intern and says which, and reveal nothing.
 */
async function dropOfPath(
  parts: readonly Part[],
  openOther: CheckContext['openWorld'],
  deleteAtUnknown: (to: Pick<CheckContext, 'api' | 'world'>, nth: number) => Call,
): Promise<readonly Part[]> {
  if (parts.length === 0) return parts;
  // Not in the world of the check, which has had many requests.
  const to = await openOther();
  let left = parts;
  let first: Answered | undefined;
  for (let nth = 0; nth < unknownInterns && left.length > 0; nth++) {
    const next = await sendSettled(deleteAtUnknown(to, nth));
    first ??= next;
    const changed = listDifferences(first, next);
    left = left.filter((part) => !changed.includes(part));
  }
  return left;
}

/** Sends a request whose answer is to be compared. Throws Disturbed if the server is in trouble. */
async function sendSettled(call: Call): Promise<Answered> {
  const exchange = await call.send();
  if (!isAnswered(exchange) || isTrouble(exchange)) throw new Disturbed(call.describe(exchange));
  return exchange;
}

// ── Parts of an answer ──

type Part = 'status' | 'reason phrase' | 'body' | `header ${string}`;

// Headers about the connection, which do not depend on the request.
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding'];

/** Lists the parts in which two answers differ: `status`, `body`, `header x-cache`. */
function listDifferences(one: Answered, other: Answered): readonly Part[] {
  const [first, second] = [readParts(one), readParts(other)];
  const parts = new Set([...first.keys(), ...second.keys()]);
  return [...parts].filter((part) => first.get(part) !== second.get(part));
}

/** Reads the parts of an answer without the words of the path, which it may repeat. */
function readParts({
  request,
  answer: { status, reasonPhrase = '', headers, text },
}: Answered): ReadonlyMap<Part, string> {
  const asked = new Set(new URL(request.url).pathname.toLowerCase().split(/[^\w-]+/));
  const isFree = (word: string) => asked.has(word.toLowerCase());
  const strip = (value: string) => value.replace(/[\w-]+/g, (word) => (isFree(word) ? '' : word));
  const parts = new Map<Part, string>([
    ['status', String(status)],
    ['reason phrase', strip(reasonPhrase)],
    ['body', strip(text)],
  ]);
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    const part = `header ${name}` as const;
    // The clock tells nothing of what is stored, but whether a machine sends it may.
    const told = name === 'date' ? '' : strip(value);
    if (!ofConnection.includes(name)) parts.set(part, `${parts.get(part) ?? ''}\n${told}`);
  }
  return parts;
}

function readHeaderName(part: Part): string | undefined {
  return part === 'status' || part === 'reason phrase' || part === 'body'
    ? undefined
    : part.slice('header '.length);
}

function renderPart({ answer }: Answered, part: Part): string {
  const name = readHeaderName(part);
  if (part === 'reason phrase') return `the reason phrase ${answer.reasonPhrase ?? 'of the status'}`;
  if (name === undefined) return part === 'status' ? String(answer.status) : answer.text;
  const values = headerValues(answer, name);
  return values.length === 0 ? `no header ${name}` : `${name}: ${values.join(', ')}`;
}
