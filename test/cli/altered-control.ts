import type { Reference } from '../../reference/server.js';
import { startServer } from '../servers.js';

export interface ControlCall {
  readonly method: string;
  /** The path below the control's URL. */
  readonly path: string;
  readonly body: string;
}

/** How a control's answers are changed. */
export interface Alteration {
  /** Returns an answer in place of the control, which never gets the call; undefined passes the call on. */
  readonly answer?: (call: ControlCall) => { readonly status: number; readonly body?: unknown } | undefined;
  /** Changes the JSON body of an answer of the control. */
  readonly rewrite?: (call: ControlCall, body: unknown) => unknown;
  /** Returns another answer in place of that of the control, or undefined to pass it on. */
  readonly alter?: (call: ControlCall, answer: RawAnswer) => RawAnswer | undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** Starts a control in front of the one of a reference server, which changes some answers, and lists its calls. */
export async function startAlteredControl(reference: Reference, alteration: Alteration) {
  const calls: ControlCall[] = [];
  const origin = await startServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '' } = request;
    const call = { method, path: url.replace(/^\/control/, ''), body: Buffer.concat(chunks).toString() };
    calls.push(call);
    const own = alteration.answer?.(call);
    const { status, text } =
      own === undefined
        ? await passOn(reference, call, alteration)
        : { status: own.status, text: own.body === undefined ? '' : JSON.stringify(own.body) };
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
  });
  return { url: `${origin}/control`, calls };
}

async function passOn({ controlUrl }: Reference, call: ControlCall, { rewrite, alter }: Alteration) {
  const { method, path, body } = call;
  const answer = await fetch(`${controlUrl}${path}`, { method, ...(body === '' ? {} : { body }) });
  const given = { status: answer.status, text: await answer.text() };
  if (rewrite === undefined || given.text === '') return alter?.(call, given) ?? given;
  return { ...given, text: JSON.stringify(rewrite(call, JSON.parse(given.text))) };
}
