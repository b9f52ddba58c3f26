import { type Reference, startReference } from '../../reference/server.js';
import { type Front, front, listens } from './front.js';
import { limits } from './judged.js';
import type { Asked, Behaviour, HostileRow, Place, Way } from './row.js';

/** What every behaviour has behind it and beside it. */
export interface Stage {
  readonly reference: Reference;
  readonly stranger: Front;
  /** How often somebody talked to the stranger. */
  readonly talked: () => number;
  close(): Promise<void>;
}

/** Starts an honest server, and one that nobody may talk to. */
export async function openStage(): Promise<Stage> {
  const reference = await startReference();
  let talked = 0;
  const stranger = await listens(() => {
    talked += 1;
  });
  return {
    reference,
    stranger,
    talked: () => talked,
    close: async () => {
      await Promise.all([reference.close(), stranger.close()]);
    },
  };
}

const places: Readonly<Record<Place, (asked: Asked) => boolean>> = {
  'guardrail-read': ({ method, target }) => method === 'GET' && target.startsWith('/v1/guardrails/'),
  'vault-delete': ({ method, target }) => method === 'DELETE' && target.startsWith('/v1/vault/'),
  inference: ({ method, body }) => method === 'POST' && body.includes('"stream":true'),
};

const usual = ['guardrail-read.200.read', 'guardrail-read.200.data'];

/** Which requests a row answers with hostility: those of one operation, or every one. */
export type Reach = 'one operation' | 'every operation';

/** Judges a front that answers as a row says. */
export async function against<T>(
  stage: Stage,
  row: HostileRow,
  reach: Reach,
  judge: (way: Way) => Promise<T>,
): Promise<T> {
  const { on = 'guardrail-read', only = usual, waits = false } = row;
  const isChosen = reach === 'one operation' ? places[on] : () => true;
  return await behind(stage, isChosen, row.does, ({ origin }) =>
    judge({
      flags: [
        ...['--target', `${origin}/v1`, '--control', stage.reference.controlUrl],
        ...[...only, 'key-info.200.read'].flatMap((id) => ['--only', id]),
        ...limitFlags(waits),
      ],
    }),
  );
}

/** Puts a front before the stage's reference while something is done with it. */
export async function behind<T>(
  { reference, stranger }: Stage,
  chosen: (asked: Asked) => boolean,
  does: Behaviour,
  use: (front: Front) => Promise<T>,
): Promise<T> {
  const opened = await front({
    behind: new URL(reference.baseUrl).origin,
    stranger: stranger.origin,
    chosen,
    does,
  });
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** The flags that bound a run. */
export function limitFlags(waits: boolean): readonly string[] {
  const timeout = waits ? limits.waitingRequest : limits.request;
  return ['--timeout', String(timeout), '--max-time', String(limits.run), '--concurrency', '4'];
}
