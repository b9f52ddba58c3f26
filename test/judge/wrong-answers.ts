import type { ServerResponse } from 'node:http';
import { type Answer, type Behaviour, type Call, JSON_MEDIA_TYPE } from '../../reference/behaviour.js';
import { transmit } from '../../reference/wire.js';

/** How often something was counted on a server, this time included; starts at 1. */
export function countTimes(call: Call, what = 'times'): number {
  const { memory } = call.server;
  const count = Number(memory.get(what) ?? 0) + 1;
  memory.set(what, count);
  return count;
}

/** An error as the document wants it. */
export function makeEnvelope(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': JSON_MEDIA_TYPE, ...headers },
    body: { error: { code: status, message: 'A test wants it so.' } },
  };
}

/** A page as an edge shows it. */
export function makePage(status: number): Answer {
  return { status, headers: { 'Content-Type': 'text/html' }, body: '<html><h1>An edge</h1></html>' };
}

/** What HAProxy answers with in place of a server. */
export function makeHaproxyPage(status: number): Answer {
  return {
    status,
    headers: { 'Cache-Control': 'no-cache', 'Content-Type': 'text/html' },
    body: `<html><body><h1>${status} Error</h1>\nRequest forbidden by administrative rules.\n</body></html>\n`,
  };
}

/** A behaviour that puts other answers in place of some. */
export function replaceAnswers(
  concerns: (answer: Answer, call: Call) => boolean,
  other: Answer | ((call: Call) => Answer),
): Pick<Behaviour, 'answer'> {
  return {
    answer: (answer, call) => {
      if (!concerns(answer, call)) return answer;
      return typeof other === 'function' ? other(call) : other;
    },
  };
}

/** Whether an answer is that of a vault delete, with this status. */
export function isVault(status: number): (answer: Answer, call: Call) => boolean {
  return (answer, call) => call.operation === 'vault-delete' && answer.status === status;
}

/** A behaviour that puts some answers on the wire in another way. */
export function sendOtherwise(
  concerns: (answer: Answer, call: Call) => boolean,
  send: (response: ServerResponse, answer: Answer) => void,
): Pick<Behaviour, 'transmit'> {
  return {
    transmit: (response, answer, call) =>
      concerns(answer, call) ? send(response, answer) : transmit(response, answer, call),
  };
}
