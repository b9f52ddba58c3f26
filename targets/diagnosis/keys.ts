import { randomUUID } from 'node:crypto';
import { type Role, roles } from '../../spec/vocabulary.js';
import type { Received } from '../client.js';
import type { Profile } from '../profile/profile.js';
import { type Asker, dataIn, type Finding, outcome } from './probe-client.js';

/** What each key of a profile got for GET /key. */
export type KeyReadings = ReadonlyMap<Role, Received>;

/** Roles by what the document lets them expect of GET /key (§4.3, §5, §7.3). */
const duties: Readonly<Record<Role, 'served' | 'refused' | 'open'>> = {
  member: 'served',
  management: 'open',
  provisioning: 'open',
  unscoped: 'served',
  outsider: 'served',
  disabled: 'refused',
  write_disabled: 'served',
  // Whether they may still read it is not stated; 402 is what they get where not.
  exhausted: 'served',
  overdrawn: 'served',
  free_small: 'served',
  free_large: 'served',
  free_large_exactly: 'served',
  free_small_second: 'served',
  expired_session: 'refused',
};

/** Roles whose credits are at an end, so that a 402 is right. */
const withoutCredit: readonly Role[] = ['exhausted', 'overdrawn'];

/**
 * What can be told of the keys without sending anything: the same key twice, and keys and headers that stand in the file.
 */
export function examineKeyTexts({
  keys,
  literal_keys: literal,
  literal_headers,
}: Profile): readonly Finding[] {
  const given = roles.filter((role) => keys[role] !== undefined);
  const repeated = given.flatMap((role, at): Finding[] => {
    const first = given.slice(0, at).find((other) => keys[other] === keys[role]);
    if (first === undefined) return [];
    const text = `is the same key as that of ${first}`;
    return [{ what: `keys.${role}`, state: 'wrong', text, todo: 'Give a key of its own, or take it out' }];
  });
  const headers = literal_headers.map(
    (place): Finding => ({
      what: place,
      state: 'note',
      text: 'looks like a credential and stands in the file itself',
      todo: `Keep it in the environment and write \${NAME} there`,
    }),
  );
  if (literal.length === 0) return [...repeated, ...headers];
  const many = literal.length > 1;
  return [
    ...repeated,
    ...headers,
    {
      what: literal.map((role) => `keys.${role}`).join(', '),
      state: 'note',
      text: `${many ? 'stand' : 'stands'} in the file itself`,
      todo: `Keep ${many ? 'them' : 'it'} in the environment and write \${${variable(literal[0] ?? 'member')}} there`,
    },
  ];
}

function variable(role: Role): string {
  return `PLUMBLINE_KEY_${role.toUpperCase()}`;
}

/** Reads /key with every key of a profile. */
export async function readKeys(asker: Asker, { keys }: Profile): Promise<KeyReadings> {
  const given = roles.filter((role) => keys[role] !== undefined);
  const readings = given.map(async (role) => [role, await asker.readKey({ key: keys[role] })] as const);
  return new Map(await Promise.all(readings));
}

/** What its answer to GET /key says of a key; undefined where it says nothing of its role. */
export function keyFinding(role: Role, received: Received, profile: Profile): Finding | undefined {
  const status = received.answer?.status;
  const what = `keys.${role}`;
  const got = `GET /key gets ${outcome(received)}`;
  if (isTrouble(received))
    return { what, state: 'wrong', text: `${got}, which tells nothing of the key`, todo: 'Try again later' };
  const duty = duties[role];
  if (duty === 'open') return undefined;
  if (duty === 'refused') {
    const isSession = role === 'expired_session';
    if (status === 401) {
      const kind = isSession ? 'an expired session' : 'a disabled key';
      return { what, state: 'ok', text: `${got}, as ${kind} does (an unknown one would too)` };
    }
    return {
      what,
      state: 'wrong',
      text: `${got}: the ${isSession ? 'session has not expired' : 'key is not disabled'}`,
      todo: `${isSession ? 'Let it expire' : 'Disable it'}, or give another`,
    };
  }
  if (status === 200) return figuresFinding(role, received);
  if (status === 402 && withoutCredit.includes(role))
    return { what, state: 'ok', text: `${got}, as a key without credit may` };
  if (status === 401) {
    const text = `${got}: the service does not know the key, or it is disabled`;
    return { what, state: 'wrong', text, todo: `Check ${source(role, profile)}` };
  }
  const hint = status === 402 ? ': its account or the key is out of credit' : '';
  return {
    what,
    state: 'wrong',
    text: `${got} in place of 200${hint}`,
    todo: `Check ${source(role, profile)}`,
  };
}

/** Whether an answer tells of the service's state, and not of what was asked. */
export function isTrouble({ answer }: Received): boolean {
  return answer === undefined || answer.status === 429 || answer.status === 408 || answer.status >= 500;
}

/** Where the text of a key comes from. */
function source(role: Role, { keys, secrets }: Profile): string {
  const name = Object.entries(secrets).find(([, text]) => text === keys[role])?.[0];
  return name === undefined ? `keys.${role} in the file` : `${name} in the environment`;
}

/** Compares the figures of a key with what its role says (§2.2, §8). */
function figuresFinding(role: Role, { answer }: Received): Finding {
  const what = `keys.${role}`;
  const { limit_remaining: remaining, is_free_tier: isFree } = dataIn(answer);
  const isUsedUp = typeof remaining === 'number' && remaining <= 0;
  if (role === 'exhausted' && !isUsedUp) {
    const text = `its limit_remaining is ${remaining === null ? 'null: it has no credit limit' : 'above zero'}`;
    return { what, state: 'wrong', text, todo: 'Give a key whose credit limit is used up' };
  }
  if (role !== 'exhausted' && role !== 'overdrawn' && isUsedUp) {
    const todo = 'Raise its limit, or give another key';
    return { what, state: 'wrong', text: 'its limit_remaining is used up: it is an exhausted key', todo };
  }
  if (role === 'free_large' && isFree === true) {
    const todo = 'Give a key of an account that has bought at least 10 credits';
    return { what, state: 'wrong', text: 'its account has never bought credits (is_free_tier)', todo };
  }
  const unseen = unseenTraits[role];
  return {
    what,
    state: 'ok',
    text: `the service knows the key${unseen === undefined ? '' : `; ${unseen} shows only in inference requests`}`,
  };
}

/** What GET /key does not tell of a role. */
const unseenTraits: Readonly<Partial<Record<Role, string>>> = {
  overdrawn: 'that its balance is negative',
  free_small: 'that its account has bought less than 10 credits',
  free_large: 'that its account has bought at least 10 credits',
  free_large_exactly: 'that its account has bought exactly 10 credits',
  free_small_second: 'that its account is that of free_small',
};

const key = 'keys.management';

/** What reading the guardrail came to. */
export interface GuardrailExam {
  readonly findings: readonly Finding[];
  /** Where the management key may not read it: the other roles whose keys may. */
  readonly readers: readonly Role[];
}

/** Reads the guardrail of a profile with its management key (§4.2, §5.3), or an unknown one where it gives none. */
export async function examineGuardrail(
  asker: Asker,
  profile: Profile,
  readings: KeyReadings,
): Promise<GuardrailExam> {
  const { management } = profile.keys;
  if (management === undefined) return { findings: [], readers: [] };
  const id = profile.guardrail?.id;
  const received = await asker.readGuardrail(id ?? randomUUID(), management);
  const got = `GET /guardrails/{id} gets ${outcome(received)}`;
  const status = received.answer?.status;
  if (isTrouble(received)) return { findings: [troubled(got)], readers: [] };
  if (id !== undefined && status === 200) return { findings: read(received, profile), readers: [] };
  if (id === undefined && status === 404) return { findings: [untold(got)], readers: [] };
  const readers = await keysThatRead(asker, profile, id);
  const isKnown = readings.get('management')?.answer?.status !== 401;
  return { findings: [refused({ got, status, id, readers, isKnown })], readers };
}

function troubled(got: string): Finding {
  const text = `${got}, which tells nothing of the key`;
  return { what: key, state: 'wrong', text, todo: 'Try again later' };
}

/** The key is good; whether the guardrail is the one that the profile describes, its fields tell. */
function read({ answer }: Received, { guardrail }: Profile): readonly Finding[] {
  const { id, workspace_id: workspace } = dataIn(answer);
  const isOther = (given: string | undefined, found: unknown) =>
    given !== undefined && typeof found === 'string' && found.toLowerCase() !== given.toLowerCase();
  const good: Finding = { what: key, state: 'ok', text: 'reads the guardrail, as a management key does' };
  if (isOther(guardrail?.id, id)) {
    const text = 'another guardrail is answered than the one that was asked for';
    return [good, { what: 'guardrail.id', state: 'wrong', text, todo: 'Check the id; a run will tell more' }];
  }
  if (isOther(guardrail?.workspace_id, workspace)) {
    const text = 'the guardrail belongs to another workspace';
    return [
      good,
      { what: 'guardrail.workspace_id', state: 'wrong', text, todo: 'Write the one that owns it' },
    ];
  }
  return [good];
}

function untold(got: string): Finding {
  return {
    what: key,
    state: 'note',
    text: `${got} for an unknown guardrail, as a management key does and another may`,
    todo: 'Give guardrail.id, and it can be told',
  };
}

/** What a refusal was met with. */
interface Refused {
  readonly got: string;
  readonly status: number | undefined;
  readonly id: string | undefined;
  /** The roles whose keys may read guardrails. */
  readonly readers: readonly Role[];
  /** Whether GET /key accepts the key. */
  readonly isKnown: boolean;
}

function refused({ got, status, id, readers, isKnown }: Refused): Finding {
  const [other] = readers;
  if (other !== undefined) {
    return {
      what: key,
      state: 'wrong',
      text: `${got}, and the key given as ${other} may read guardrails: it is the management key, or the two are swapped`,
      todo: `Swap keys.management and keys.${other}`,
    };
  }
  if (id !== undefined && status === 404) {
    return {
      what: 'guardrail.id',
      state: 'wrong',
      text: `${got}: there is no such guardrail, or the key is no management key of its workspace`,
      todo: 'Check guardrail.id and keys.management',
    };
  }
  const why = isKnown
    ? 'it is no management key'
    : 'the service does not know the key, it is disabled, or it is none for this';
  return { what: key, state: 'wrong', text: `${got}: ${why}`, todo: 'Give a management key' };
}

/** The other roles whose keys read the guardrail; of an unknown one none can be told. */
async function keysThatRead(
  asker: Asker,
  { keys }: Profile,
  id: string | undefined,
): Promise<readonly Role[]> {
  if (id === undefined) return [];
  const tried = roles.map(async (role) => {
    const text = keys[role];
    if (role === 'management' || text === undefined || text === keys.management) return [];
    const { answer } = await asker.readGuardrail(id, text);
    return answer?.status === 200 ? [role] : [];
  });
  return (await Promise.all(tried)).flat();
}
