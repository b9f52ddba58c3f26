import net from 'node:net';
import { expect } from 'vitest';
import { type Reference, startReference } from '../../reference/server.js';
import { type Listening, listenOn } from '../servers.js';
import { startFront } from './front.js';
import { limits, type Outcome } from './judge-hostile.js';
import type { Asked, ConnectionRow, ControlRow, HostileRow, Place } from './row.js';

/** Judges with these flags; where much data comes, in a process that is kept for that. */
export type Judge = (flags: readonly string[], big: boolean) => Promise<Outcome>;

const places: Readonly<Record<Place, (asked: Asked) => boolean>> = {
  'guardrail-read': ({ method, target }) => method === 'GET' && target.startsWith('/v1/guardrails/'),
  'vault-delete': ({ method, target }) => method === 'DELETE' && target.startsWith('/v1/vault/'),
  inference: ({ method, body }) => method === 'POST' && body.includes('"stream":true'),
};

const usual = ['guardrail-read.200.read', 'guardrail-read.200.data'];

/** The token that the control protocol of a stage is asked with, and that nobody else may see. */
export const controlToken = 'hostile-control-token';

/** An honest server, and one that nobody may talk to: what every behaviour has behind it and beside it. */
export class Stage {
  heard = '';

  private constructor(
    private readonly reference: Reference,
    private readonly judge: Judge,
    private readonly stranger: Listening,
  ) {}

  static async open(judge: Judge): Promise<Stage> {
    const server = net.createServer((socket) => {
      stage.heard += '(somebody)';
      socket
        .on('error', () => undefined)
        .on('data', (bytes) => {
          stage.heard += bytes.toString('latin1');
        });
    });
    const stage = new Stage(await startReference(), judge, await listenOn(server));
    return stage;
  }

  async close(): Promise<void> {
    await Promise.all([this.reference.close(), this.stranger.close()]);
  }

  against(row: HostileRow, reach: 'one operation' | 'every operation'): Promise<Outcome> {
    const isAlone = reach === 'one operation';
    return this.#judgeFront(row, isAlone ? places[row.on ?? 'guardrail-read'] : () => true, (origin) => [
      ...['--target', `${origin}/v1`, '--control', this.reference.controlUrl],
      // Where nothing at all is answered well, a run ends soon.
      ...(isAlone && row.costly === true ? ['--max-requests', '60'] : []),
      ...(row.thorough === true ? [] : ['--depth', 'quick', '--cases', '1']),
    ]);
  }

  through(row: ControlRow): Promise<Outcome> {
    return this.#judgeFront(row, row.on, (origin) => [
      ...['--control', `${origin}/control`, '--control-token', controlToken],
      ...['--depth', 'quick', '--cases', '1'],
    ]);
  }

  async at(row: ConnectionRow): Promise<Outcome> {
    const origin = await row.start(new URL(this.reference.baseUrl).origin);
    const flags = ['--target', `${origin}/v1`, '--control', this.reference.controlUrl, '--depth', 'quick'];
    return await this.judge([...flags, ...writeLimits(row, [])], false);
  }

  /** Puts a front before the reference while it is judged; each of its behaviours must have its turn. */
  async #judgeFront(
    row: HostileRow | ControlRow,
    chosen: (asked: Asked) => boolean,
    flagsFor: (origin: string) => readonly string[],
  ): Promise<Outcome> {
    const { does, only = usual, big = false } = row;
    const turns = Object.entries(typeof does === 'function' ? { [row.name]: does } : does);
    const left = new Set(turns.map(([name]) => name));
    const origin = await startFront({
      behind: new URL(this.reference.baseUrl).origin,
      stranger: this.stranger.origin,
      chosen,
      does: (socket, asked, around) => {
        const [name, behave] = turns[asked.before % turns.length] ?? [];
        left.delete(name ?? '');
        return behave?.(socket, asked, around);
      },
    });
    const outcome = await this.judge([...flagsFor(origin), ...writeLimits(row, only)], big);
    expect([...left], 'behaviours that had no turn').toEqual([]);
    return outcome;
  }
}

function writeLimits(row: Pick<HostileRow, 'waits' | 'big'>, only: readonly string[]): readonly string[] {
  const timeout = row.waits === true ? limits.waitingRequest : limits.request;
  // Much data takes a slow machine long.
  const maxTime = row.big === true ? 3 * limits.run : limits.run;
  return [
    ...['--timeout', String(timeout), '--max-time', String(maxTime), '--concurrency', '4'],
    ...[...only, 'key-info.200.read'].flatMap((id) => ['--only', id]),
  ];
}
