import { type Answer, type Call, type Frame, isFrames } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { editAnswer, type Mutation, setMember, type Where } from '../mutation.js';
import { isJsonObject, SCOPES } from '../vocabulary.js';

// How a server gives a stored value away (§1): which value, written how, and in what place of an answer.

/** Finds the value that an answer gives away, if there is one. */
export type Found = (call: Call) => string | undefined;

/** Puts a value into an answer. */
export type Place = (answer: Answer, value: string, call: Call) => Answer;

/** Some answers give a value away. */
export function leak(where: Where, find: Found, put: Place): Mutation {
  return editAnswer(where, (answer, call) => {
    const value = find(call);
    return value === undefined ? answer : put(answer, value, call);
  });
}

/** The 204 of a vault delete gives away the value that it deleted. */
export function leakDeleted(put: Place): Mutation {
  return {
    effects: {
      ...conforming.effects,
      'vault-delete': (call) => {
        const value = namedValue(call);
        const answer = conforming.effects['vault-delete'](call);
        return value === undefined ? answer : put(answer, value, call);
      },
    },
  };
}

/** The value of the secret that a vault delete names. */
export function namedValue(call: Call): string | undefined {
  const place = conforming.findSecret(call);
  return place && call.key?.world.secrets[place.scope].get(place.name);
}

/** The value behind the path of a vault delete, in whatever world its intern is. */
export function valueBehindPath({ parameters, server }: Call): string | undefined {
  for (const { interns, secrets } of server.store.worlds()) {
    if (interns.own === parameters.internId) return secrets.own.get(parameters.name ?? '');
  }
  return undefined;
}

/** Some value of the caller's world. */
export function anyValue({ key }: Call): string | undefined {
  for (const scope of key === undefined ? [] : SCOPES) {
    for (const value of key?.world.secrets[scope].values() ?? []) return value;
  }
  return undefined;
}

// Node refuses to send any other header value.
const FIT_FOR_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** As a header, where Node can send it. */
export function inHeader(name: string): (answer: Answer, text: string) => Answer {
  return (answer, text) =>
    FIT_FOR_HEADER.test(text) ? { ...answer, headers: { ...answer.headers, [name]: text } } : answer;
}

/** At the end of `error.message`. */
export function inMessage(answer: Answer, text: string): Answer {
  const { body } = answer;
  if (!isJsonObject(body) || !isJsonObject(body.error)) return answer;
  return addErrorMember(answer, 'message', `${String(body.error.message)}: ${text}`);
}

/** In `error.message`, every character of it escaped as `\uXXXX`. */
export function escapeInMessage(answer: Answer, text: string): Answer {
  const { body } = addErrorMember(answer, 'message', '');
  const escaped = [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  return { ...answer, body: JSON.stringify(body).replace('"message":""', `"message":"${escaped}"`) };
}

/** An error with a member of its error object set. */
export function addErrorMember(answer: Answer, field: string, value: unknown): Answer {
  const { body } = answer;
  if (!isJsonObject(body) || !isJsonObject(body.error)) return answer;
  return { ...answer, body: { ...body, error: setMember(body.error, field, value) } };
}

/** At the head of an event stream, in a frame of its own. */
export function inFrame(frame: (text: string) => Frame): Place {
  return (answer, text) =>
    isFrames(answer.body) ? { ...answer, body: [frame(text), ...answer.body] } : answer;
}

/** Every byte percent-encoded, letters and digits included. */
export function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
