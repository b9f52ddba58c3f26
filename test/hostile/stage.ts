import { type Reference, startReference } from '../../reference/server.js';
import { type Front, front, listens } from './front.js';
import { limits } from './judge-hostile.js';
import type { Asked, Behaviour, ConnectionRow, ControlRow, HostileRow, Place, Way } from './row.js';

/** What every behaviour has behind it and beside it. */
export interface Stage {
  readonly reference: Reference;
  readonly stranger: Front;
  /** What was said to the stranger; every connection leaves a word. */
  readonly heard: () => string;
  close(): Promise<void>;
}

/** Starts an honest server, and one that nobody may talk to. */
export async function openStage(): Promise<Stage> {
  const reference = await startReference();
  let heard = '';
  const stranger = await listens((socket) => {
    heard += '(somebody)';
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.toString('latin1');
    });
  });
  return {
    reference,
    stranger,
    heard: () => heard,
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
  const { on = 'guardrail-read', only = usual } = row;
  const isChosen = reach === 'one operation' ? places[on] : () => true;
  return await behind(stage, isChosen, row.does, ({ origin }) =>
    judge({
      flags: [
        ...['--target', `${origin}/v1`, '--control', stage.reference.controlUrl],
        ...[...only, 'key-info.200.read'].flatMap((id) => ['--only', id]),
        // Where nothing at all is answered well, a run ends soon.
        ...limitFlags(reach === 'one operation' ? row : { ...row, costly: false }),
      ],
    }),
  );
}

/** Puts a front before the stage's reference while something is done with it. */
async function behind<T>(
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

/** The token that the control protocol of a stage is asked with, and that nobody else may see. */
export const controlToken = 'hostile-control-token';

/** Judges through a control protocol that answers as a row says. */
export async function through<T>(stage: Stage, row: ControlRow, judge: (way: Way) => Promise<T>): Promise<T> {
  const { on, does, only = usual } = row;
  return await behind(stage, on, does, ({ origin }) =>
    judge({
      flags: [
        ...['--control', `${origin}/control`, '--control-token', controlToken],
        ...[...only, 'key-info.200.read'].flatMap((id) => ['--only', id]),
        ...limitFlags(row),
      ],
    }),
  );
}

/** Judges what a row opens. */
export async function at<T>(
  { reference }: Stage,
  row: ConnectionRow,
  judge: (way: Way) => Promise<T>,
): Promise<T> {
  const { target, env = {}, close } = await row.opens({ behind: new URL(reference.baseUrl).origin });
  const flags = ['--target', target, '--control', reference.controlUrl, '--only', 'key-info.200.read'];
  try {
    return await judge({ flags: [...flags, ...limitFlags(row)], env });
  } finally {
    await close?.();
  }
}

/** The flags that bound a run. */
function limitFlags(row: Pick<HostileRow, 'waits' | 'thorough' | 'costly' | 'big'>): readonly string[] {
  const timeout = row.waits === true ? limits.waitingRequest : limits.request;
  // Much data takes a slow machine long.
  const maxTime = row.big === true ? 3 * limits.run : limits.run;
  return [
    ...['--timeout', String(timeout), '--max-time', String(maxTime), '--concurrency', '4'],
    ...(row.thorough === true ? [] : ['--depth', 'quick', '--cases', '1']),
    ...(row.costly === true ? ['--max-requests', '60'] : []),
  ];
}
