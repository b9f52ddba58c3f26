import type { Server } from 'node:http';
import { Duplex } from 'node:stream';
import { FREE_MODEL, PAID_MODEL } from '../../reference/inference.js';
import { makeReference } from '../../reference/server.js';
import type { Variant } from '../../reference/variant.js';
import { FAULTS } from '../../reference/vocabulary.js';
import type { World } from '../../reference/world.js';
import { ROLES, type Role } from '../../reference/world.js';

// 45 seconds into a minute, 15 minutes before the end of a UTC day: both ends are within reach.
const start = Date.UTC(2026, 4, 20, 23, 44, 45);

/** How long nothing may come before an answer counts as left open, in milliseconds: longer than a busy machine stops for. */
const quietMs = 2000;

/** A server of the catalogue that is asked within this process, with a clock that moves only when it is told to. */
export interface Probed {
  readonly server: Server;
  readonly here: World;
  readonly there: World;
  forward(ms: number): void;
}

export function makeProbed({ mutation, capabilities }: Pick<Variant, 'mutation' | 'capabilities'>): Probed {
  let now = start;
  const clock = { now: () => now, bodyDeadlineMs: 60, worldTtlMs: 1e9 };
  const { server, store } = makeReference({ behaviour: mutation, capabilities, ...clock });
  const forward = (ms: number) => {
    now += ms;
  };
  return { server, here: store.open('here'), there: store.open('there'), forward };
}

class Connection extends Duplex {
  readonly pieces: string[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.pieces.push(chunk.toString('latin1'));
    this.emit('piece');
    done();
  }

  setTimeout(): this {
    return this;
  }
}

/** Writes bytes on a connection of its own; returns the pieces that come until it ends, or nothing more comes. */
export function exchange({ server }: Pick<Probed, 'server'>, bytes: string): Promise<readonly string[]> {
  const connection = new Connection();
  server.emit('connection', connection);
  connection.push(bytes, 'latin1');
  return new Promise((resolve) => {
    const end = (how: string) => {
      clearTimeout(quiet);
      resolve([...connection.pieces, how]);
      connection.destroy();
    };
    const quiet = setTimeout(end, quietMs, '(open)');
    connection.on('piece', () => quiet.refresh());
    connection.on('finish', () => end('(ended)')).on('close', () => end('(reset)'));
  });
}

/** What a request has beside its method and its path; a key by its role, the member's by default. */
export interface Extra {
  readonly role?: Role;
  readonly authorization?: string | undefined;
  readonly headers?: readonly string[];
  readonly body?: string;
}

export function writeRequest({ here }: Pick<Probed, 'here'>, request: string, extra: Extra = {}): string {
  const { role = 'member', headers = [], body } = extra;
  const authorization =
    'authorization' in extra ? extra.authorization : `Bearer ${here.keys.get(role)?.text}`;
  return [
    `${request} HTTP/1.1`,
    ...(headers.some((line) => line.startsWith('Host:')) ? [] : ['Host: vault.test']),
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ...headers,
    ...['Connection: close', ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`])],
    ...['', body ?? ''],
  ].join('\r\n');
}

const json = 'Content-Type: application/json';
const free = JSON.stringify({ model: FREE_MODEL });
const regional = 'Host: eu.vault.test';
const unknownId = '2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b26';

export type Seen = readonly [asked: string, answer: string];

/** Asks a server all that some variant answers otherwise than the reference. One that shows nowhere needs a line here. */
export async function* probe(server: Probed): AsyncGenerator<Seen> {
  const { here, there, forward } = server;
  const names = nameParts(server);
  const ask = async (request: string, extra?: Extra): Promise<Seen> => {
    const bytes = writeRequest(server, request, extra);
    const pieces = await exchange(server, bytes);
    return [bytes, mask(pieces.join(''), names)];
  };
  const secrets = `/v1/vault/interns/${here.interns.own}/secrets`;
  const look = (): Seen => [
    'what is stored',
    JSON.stringify([here, there].map(({ secrets }) => Object.values(secrets).map((held) => [...held]))),
  ];
  async function* remove(extra?: Extra, path = `${secrets}/token`) {
    for (const held of Object.values(here.secrets)) held.set('token', 'value');
    yield await ask(`DELETE ${path}`, extra);
    yield look();
  }
  async function* infer(extra: Extra = {}) {
    for (const model of [PAID_MODEL, FREE_MODEL]) {
      for (const stream of [false, true])
        yield await ask('POST /v1/chat/completions', {
          headers: [json],
          body: JSON.stringify({ model, stream }),
          ...extra,
        });
    }
  }
  async function* askAll(extra: Extra = {}, query = '') {
    yield* remove(extra, `${secrets}/token${query}`);
    yield await ask(`GET ${secrets}${query}`, extra);
    yield await ask(`GET /v1/key${query}`, extra);
    yield await ask(`GET /v1/guardrails/${here.guardrailId}${query}`, { role: 'management', ...extra });
  }

  yield await ask('GET /control');
  yield* remove({ role: 'provisioning' });
  yield* remove();
  for (const method of ['DELETE', 'POST']) yield await ask(`${method} ${secrets}/token`);
  yield* askAll();
  yield* infer();
  forward(300);
  yield await ask('GET /v1/key');
  const text = here.keys.get('member')?.text ?? 'sk-none';
  for (const authorization of [
    ...[undefined, 'Bearer sk-none', text, `bearer ${text}`, `Bearer  ${text}`, `Bearer: ${text}`],
    ...[`Token ${text}`, `Basic ${text}`, `Basic ${btoa(`${text}:`)}`, `Bearer ${text}, Bearer sk-none`],
    ...[`Bearer ${text}\r\nAuthorization: Bearer sk-none`, 'Bearer sk-\xe9'],
  ])
    yield* askAll({ authorization });
  for (const headers of [
    ...[[regional], ['Host: eu.vault.test.'], ['Host: EU.Vault.Test:443'], [json], ['X-Original-URL: /']],
    ...[['Origin: https://app.example'], ['X-Forwarded-Host: elsewhere.test']],
    ...[['Accept-Encoding: gzip'], ['Accept-Encoding: br, deflate']],
  ])
    yield* askAll({ headers });
  for (const body of ['{}', '{', 'text']) yield* askAll({ headers: [json], body });
  yield* askAll({}, '?x=1');
  for (const path of ['/token/', '//token', '/./token', '%2Ftoken', '/%5Ctoken', '/%74oken', '/Token', '/'])
    yield* remove({}, `${secrets}${path}`);
  for (const id of [here.interns.own.toUpperCase(), unknownId, unknownId.replace('-4', '-1'), 'no-uuid']) {
    yield* remove({}, `/v1/vault/interns/${id}/secrets/token`);
    yield await ask(`GET /v1/guardrails/${id}`, { role: 'management' });
  }
  yield await ask(`POST ${secrets}/written`);
  yield look();

  for (const role of ROLES) {
    yield* askAll({ role });
    yield* infer({ role });
    yield await ask(`GET /v1/guardrails/${unknownId}`, { role });
  }
  yield await ask(`GET /v1/guardrails/${there.guardrailId}`, { role: 'management' });
  for (const fault of FAULTS) {
    here.faults = [fault];
    here.keys.get('member')?.usage.set(0, 0, start);
    yield* remove();
    yield await ask(`DELETE ${secrets}/absent`);
    yield await ask(`GET /v1/guardrails/${here.guardrailId}`, { role: 'management' });
    yield* infer();
  }
  here.faults = ['model_down'];
  for (let n = 0; n < 21; n++) yield await ask('POST /v1/chat/completions', { headers: [json], body: free });
  here.faults = [];

  // Of two things wrong one is told.
  for (const extra of [
    ...(['provisioning', 'unscoped', 'outsider', 'write_disabled'] as const).flatMap((role) => [
      { role },
      { role, headers: [regional] },
    ]),
    ...[{ authorization: undefined, headers: [regional] }, { headers: [regional] }],
    ...[{ headers: [json], body: '{' }],
  ])
    for (const name of ['Token', 'absent']) yield* remove(extra, `${secrets}/${name}`);

  // A body that stops arriving.
  const head = writeRequest(server, `DELETE ${secrets}/token`).replace(/\r\n\r\n$/, '\r\n');
  for (const held of Object.values(here.secrets)) held.set('token', 'value');
  const stalled = await exchange(server, `${head}Content-Length: 10\r\n\r\n{`);
  yield ['a stalled body', mask(stalled.join(''), names)];
  yield look();

  // Two deletes of one secret at once.
  here.secrets.own.set('token', 'value');
  const both = [1, 2].map(() => exchange(server, writeRequest(server, `DELETE ${secrets}/token`)));
  yield [
    'two deletes at once',
    (await Promise.all(both))
      .map(([line = '']) => line.slice(0, 12))
      .sort()
      .join(),
  ];

  // A minute passes.
  const small = { headers: [json], body: free, role: 'free_small' } as const;
  here.keys.get('free_small')?.usage.set(20, 20, start);
  for (const seconds of [0, 10, 10, 10, 15, 14, 1]) {
    forward(seconds * 1000);
    yield await ask('POST /v1/chat/completions', small);
  }
  for (let n = 0; n < 20; n++) yield await ask('POST /v1/chat/completions', small);

  // Usage around the borders of the windows, and of numbers that no binary number is equal to.
  const member = here.keys.get('member');
  if (member === undefined) return;
  Object.assign(member.information, { usage: 12.345678, usage_daily: 0.1 });
  yield await ask('GET /v1/key');
  member.records = [
    '2026-05-20T00:00:00Z',
    '2026-05-19T23:59:59Z',
    '2026-05-18T00:00:00Z',
    '2026-04-30T23:59:59Z',
  ].map((at, place) => ({ at: Date.parse(at), credits: 2 ** place, byok: 2 ** (9 - place) }));
  yield await ask('GET /v1/key');
  Object.assign(member.information, { limit: 15, include_byok_in_limit: false });
  yield* infer();
  for (const isOwed of [true, false]) {
    member.balance.isOwed = isOwed;
    yield* infer();
  }
  Object.assign(member.information, { limit: null, limit_reset: 'monthly' });
  yield await ask('GET /v1/key');

  // Two reads in quick succession, with a change between them. The second list is not in alphabetical order.
  for (const providers of [['acme'], ['borealis', 'acme']]) {
    here.guardrail.allowed_providers = providers;
    yield await ask(`GET /v1/guardrails/${here.guardrailId}`, { role: 'management' });
  }
}

/** The keys and ids of a server, each with the name that it gets in what is compared. */
function nameParts({ here, there }: Probed): ReadonlyMap<string, string> {
  return new Map(
    [here, there].flatMap((world, at) => [
      ...[...world.keys].map(([role, { text }]) => [text, `<key ${role} ${at}>`] as const),
      ...Object.entries(world.interns).map(([intern, id]) => [id, `<intern ${intern} ${at}>`] as const),
      ...[world.guardrailId, world.workspaceId].map((id, which) => [id, `<id ${which} ${at}>`] as const),
    ]),
  );
}

function mask(text: string, names: ReadonlyMap<string, string>): string {
  // Into how many chunks a stream is divided is no freedom that is worth a variant.
  const whole = text.includes('text/event-stream') ? text.replace(/\r\n[1-9a-f][\da-f]*\r\n/g, '') : text;
  let masked = whole.replace(/^Date: .*$/gm, 'Date: x').replace(/gen-[\da-f-]{36}/g, '<generation>');
  for (const [part, name] of names) masked = masked.replaceAll(part, name);
  return masked;
}
