import { randomUUID } from 'node:crypto';
import { type Role, roles } from '../../spec/vocabulary.js';
import type { Received } from '../client.js';
import { describeOutcome, isTrouble, readData } from '../exchange.js';
import { flagOf, keyVariable } from '../profile/given-values.js';
import type { Profile } from '../profile/profile.js';
import {
  type ProfileFinding,
  type ProfileProbes,
  reportNote,
  reportOk,
  reportWrong,
} from './probe-client.js';

/** Roles that GET /key need not serve, or must refuse (§4.3, §5, §7.3); it serves all others. */
const duties: Readonly<Partial<Record<Role, 'refused' | 'open'>>> = {
  management: 'open',
  provisioning: 'open',
  disabled: 'refused',
  expired_session: 'refused',
};

/** Traits of roles that GET /key does not show. */
const unseenTraits: Readonly<Partial<Record<Role, string>>> = {
  overdrawn: 'that its balance is negative',
  free_small: 'that its account has bought less than 10 credits',
  free_large: 'that its account has bought at least 10 credits',
  free_large_exactly: 'that its account has bought exactly 10 credits',
  free_small_second: 'that its account is that of free_small',
};

/** Examines keys and headers without sending them: duplicate keys, and credentials in the file itself. */
export function examineKeyTexts(profile: Profile): readonly ProfileFinding[] {
  const { literal_keys: literal, literal_headers: headers } = profile;
  const keep = (variable: string) => `Keep it in the environment and write \${${variable}} there`;
  return [
    ...roles.flatMap((role, at) => findRepeated(role, roles.slice(0, at), profile) ?? []),
    ...literal.map((role) =>
      reportNote(`keys.${role}`, 'is written in the file itself', keep(keyVariable(role))),
    ),
    ...headers.map((place) =>
      reportNote(place, 'looks like a credential and is written in the file itself', keep('NAME')),
    ),
  ];
}

/** Finds another role with the same key. */
export function findRepeated(
  role: Role,
  others: readonly Role[],
  { keys }: Profile,
): ProfileFinding | undefined {
  if (keys[role] === undefined) return undefined;
  const other = others.find((each) => each !== role && keys[each] === keys[role]);
  if (other === undefined) return undefined;
  const text = `is the same key as that of ${other}`;
  return reportWrong(`keys.${role}`, text, 'Give a key of its own, or remove it');
}

/** Finds two keys that may be swapped: GET /key accepts one that it must refuse, and refuses one that it must accept. */
export function findServedInstead(role: Role, { readings }: ProfileProbes): ProfileFinding | undefined {
  const hasStatus = (of: Role, status: number) => readings.get(of)?.answer?.status === status;
  if (duties[role] !== 'refused' || !hasStatus(role, 200)) return undefined;
  const other = roles.find((each) => duties[each] === undefined && hasStatus(each, 401));
  if (other === undefined) return undefined;
  const text = `GET /key accepts it and refuses the key of ${other} with 401: the two may be swapped`;
  return reportWrong(`keys.${role}`, text, `Check keys.${role} and keys.${other}`);
}

/** Compares the result of GET /key with the expected one for a role; undefined where that says nothing about it. */
export function examineKey(role: Role, { readings, profile }: ProfileProbes): ProfileFinding | undefined {
  const received = readings.get(role);
  if (received === undefined) return undefined;
  const status = received.answer?.status;
  const what = `keys.${role}`;
  const got = `GET /key gets ${describeOutcome(received)}`;
  if (isTrouble(received)) return reportTrouble(what, got);
  if (duties[role] === 'open') return undefined;
  if (duties[role] === 'refused') {
    const [kind, wrong, fix] =
      role === 'expired_session'
        ? ['an expired session', 'session has not expired', 'Let it expire']
        : ['a disabled key', 'key is not disabled', 'Disable it'];
    return status === 401
      ? reportOk(what, `${got}, as ${kind} does (an unknown one would too)`)
      : reportWrong(what, `${got}: the ${wrong}`, `${fix}, or give another`);
  }
  if (status === 200) return examineFigures(role, received);
  // The document does not say whether they may still read it.
  const isWithoutCredit = role === 'exhausted' || role === 'overdrawn';
  if (status === 402 && isWithoutCredit) return reportOk(what, `${got}, as a key without credit may`);
  const check = `Check ${nameSource(role, profile)}`;
  if (status === 401)
    return reportWrong(what, `${got}: the service does not know the key, or it is disabled`, check);
  const hint = status === 402 ? ': its account or the key is out of credit' : '';
  return reportWrong(what, `${got} instead of 200${hint}`, check);
}

function reportTrouble(what: string, got: string): ProfileFinding {
  return reportWrong(what, `${got}, which says nothing about the key`, 'Try again later');
}

function nameSource(role: Role, { keys, secrets, literal_keys: inFile }: Profile): string {
  const name = Object.entries(secrets).find(([, text]) => text === keys[role])?.[0];
  if (name !== undefined) return `${name} in the environment`;
  return inFile.includes(role) ? `keys.${role} in the file` : flagOf(`keys.${role}`);
}

/** Compares the figures of a key with its role (§2.2, §8). */
function examineFigures(role: Role, received: Received): ProfileFinding {
  const what = `keys.${role}`;
  const { limit_remaining: remaining, is_free_tier: isFree } = readData(received);
  const isUsedUp = typeof remaining === 'number' && remaining <= 0;
  if (role === 'exhausted' && !isUsedUp) {
    const text = `its limit_remaining is ${remaining === null ? 'null: it has no credit limit' : 'above zero'}`;
    return reportWrong(what, text, 'Give a key whose credit limit is used up');
  }
  if (role !== 'exhausted' && role !== 'overdrawn' && isUsedUp) {
    const text = 'its limit_remaining is used up: it is an exhausted key';
    return reportWrong(what, text, 'Raise its limit, or give another key');
  }
  if (role === 'free_large' && isFree === true) {
    const todo = 'Give a key of an account that has bought at least 10 credits';
    return reportWrong(what, 'its account has never bought credits (is_free_tier)', todo);
  }
  const unseen = unseenTraits[role];
  const more = unseen === undefined ? '' : `; ${unseen} shows only in inference requests`;
  return reportOk(what, `the service knows the key${more}`);
}

const management = 'keys.management';

/**
 * Reads the guardrail of a profile, or an unknown one if it gives none, with the management key (§4.2, §5.3). The readers
 * are the other roles whose keys may read it, where the management key may not.
 */
export async function examineGuardrail(probes: ProfileProbes) {
  const { profile, readings } = probes;
  const { keys, guardrail } = profile;
  const exam = (finding: ProfileFinding | readonly ProfileFinding[], readers: readonly Role[] = []) => ({
    findings: [finding].flat(),
    readers,
  });
  if (keys.management === undefined) return exam([]);
  const id = guardrail?.id;
  const received = await probes.readGuardrail(id ?? randomUUID(), keys.management);
  const status = received.answer?.status;
  const got = `GET /guardrails/{id} gets ${describeOutcome(received)}`;
  if (isTrouble(received)) return exam(reportTrouble(management, got));
  if (id !== undefined && status === 200) return exam(compareGuardrail(received, profile));
  if (id === undefined && status === 404) {
    const text = `${got} for an unknown guardrail, as a management key does and another may`;
    return exam(reportNote(management, text, 'Give guardrail.id to find out'));
  }
  const readers = id === undefined ? [] : await findReaders(probes, id);
  const isKnown = readings.get('management')?.answer?.status !== 401;
  const [reader] = readers;
  if (reader !== undefined) {
    const text = `${got}, and the key given as ${reader} may read guardrails: it is the management key, or the two are swapped`;
    return exam(reportWrong(management, text, `Swap keys.management and keys.${reader}`), readers);
  }
  if (id !== undefined && status === 404) {
    const text = `${got}: there is no such guardrail, or the key is not a management key of its workspace`;
    return exam(reportWrong('guardrail.id', text, 'Check guardrail.id and keys.management'), readers);
  }
  const why = isKnown
    ? 'it is not a management key'
    : 'the service does not know the key, it is disabled, or not meant for this';
  return exam(reportWrong(management, `${got}: ${why}`, 'Give a management key'), readers);
}

function compareGuardrail(received: Received, { guardrail }: Profile): readonly ProfileFinding[] {
  const { id, workspace_id: workspace } = readData(received);
  const differs = (given: string | undefined, found: unknown) =>
    given !== undefined && typeof found === 'string' && found.toLowerCase() !== given.toLowerCase();
  const good = reportOk(management, 'reads the guardrail, as a management key does');
  if (differs(guardrail?.id, id)) {
    const text = 'the answer is another guardrail than the one requested';
    return [good, reportWrong('guardrail.id', text, 'Check the id; a run will show more')];
  }
  if (differs(guardrail?.workspace_id, workspace)) {
    const text = 'the guardrail belongs to another workspace';
    return [good, reportWrong('guardrail.workspace_id', text, 'Give the ID of the workspace that owns it')];
  }
  return [good];
}

async function findReaders(probes: ProfileProbes, id: string): Promise<readonly Role[]> {
  const { keys } = probes.profile;
  const tried = roles.map(async (role) => {
    const key = keys[role];
    if (role === 'management' || key === undefined || key === keys.management) return [];
    const { answer } = await probes.readGuardrail(id, key);
    return answer?.status === 200 ? [role] : [];
  });
  return (await Promise.all(tried)).flat();
}
