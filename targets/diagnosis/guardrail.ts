import { randomUUID } from 'node:crypto';
import { type Role, roles } from '../../spec/vocabulary.js';
import type { Received } from '../client.js';
import type { Profile } from '../profile/profile.js';
import { type Asker, dataIn, outcome } from './asker.js';
import type { Finding } from './findings.js';
import { isTrouble, type KeyReadings } from './keys.js';

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
