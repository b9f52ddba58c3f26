import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { FreeUsage, UsageWindows } from './accounts.js';
import type { Fault, Intern, JsonObject, Operation, Scope } from './vocabulary.js';
import type { Key, World } from './world.js';
import type { WorldStore } from './world-store.js';

/** One frame of an event stream: a `data:` line with a JSON object or a bare word, or a comment. */
export type Frame = { readonly data: JsonObject | string } | { readonly comment: string };

/** What a request is answered, before it is put on the wire. Header names keep their spelling. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What stands after the status in place of the usual words. */
  readonly reasonPhrase?: string;
  /** Fields after the body, which then goes in chunks. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** A JSON object, text to be sent as it is, the frames of a stream, or nothing. */
  readonly body?: JsonObject | string | readonly Frame[] | undefined;
}

/** Why a request is not done: the status of §7 and what the envelope says. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** `error.metadata`; left out of the envelope when undefined. */
  readonly metadata?: JsonObject | null | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set when a platform limit refuses (§7.4). */
  readonly platform?: PlatformLimit;
}

/** How many requests a platform limit allows, and when it frees, in milliseconds from now. */
export interface PlatformLimit {
  readonly limit: number;
  readonly freesInMs: number;
}

/** The media type of every JSON answer, unless the behaviour gives errors another. */
export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** Whether a body is the frames of a stream. */
export function isFrames(body: Answer['body']): body is readonly Frame[] {
  return Array.isArray(body);
}

/** What lasts as long as one server; nothing of it is shared between servers. */
export interface ServerState {
  readonly behaviour: Behaviour;
  readonly store: WorldStore;
  /** Room for what a mutant or a variant has to remember between requests. */
  readonly memory: Map<string, unknown>;
  /** The hostname that counts as regional, in lower case. */
  readonly regionalHost: string;
  /** How long a request body may take, in milliseconds. */
  readonly bodyDeadlineMs: number;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** What an inference request asks for. */
export interface InferenceRequest {
  readonly model: string;
  readonly stream: boolean;
}

/** One request under way and everything an answer may depend on. */
export interface Call {
  readonly server: ServerState;
  readonly behaviour: Behaviour;
  readonly operation: Operation;
  readonly method: string;
  /** The request target as routed, percent-encoding and query included. */
  readonly path: string;
  /** Path parameters, decoded once: `internId`, `name`, `id`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** The headers as they were received, names and values alternating. */
  readonly rawHeaders: readonly string[];
  /** The authority that the request is addressed to. */
  readonly host: string | undefined;
  readonly body: Body;
  /** The key that `authenticate` found; its `role` and `world` are the caller's. */
  readonly key: Key | undefined;
  /** Stands for the connection that the request came on; the same one for every request on it. */
  readonly connection: object;
  /** Set on the inference route when the body is well-formed. */
  readonly inference: InferenceRequest | undefined;
}

/** The names of all gates. */
export type GateName =
  | 'origin'
  | 'regional-host'
  | 'authentication'
  | 'key-enabled'
  | 'session'
  | 'no-provisioning-key'
  | 'management-key'
  | 'inference-key'
  | 'intern-id'
  | 'secret-name'
  | 'request-body'
  | 'workspace-scope'
  | 'intern-programme'
  | 'vault-writes'
  | 'intern-in-workspace'
  | 'secret-exists'
  | 'guardrail-exists'
  | 'inference-request'
  | 'known-model'
  | 'account-balance'
  | 'key-limit'
  | 'free-minute'
  | 'free-day'
  | 'fault';

/** One reason to refuse a call. A gate passes what it cannot judge, so that gates work in any order. */
export interface Gate {
  readonly name: GateName;
  readonly refuse: (call: Call) => Refusal | undefined;
}

/** A gate that refuses some calls, all in the same way. */
export function makeGate(name: GateName, isRefused: (call: Call) => boolean, refusal: Refusal): Gate {
  return { name, refuse: (call) => (isRefused(call) ? refusal : undefined) };
}

/** The limits of free models (§8.2). */
interface FreeLimits {
  readonly perMinute: number;
  /** Milliseconds after which a request no longer counts toward the limit of a minute. */
  readonly minuteMs: number;
  /** Requests per UTC day of an account that has bought less than `boughtEnough`. */
  readonly perDaySmall: number;
  /** Requests per UTC day of any other account. */
  readonly perDayLarge: number;
  /** Credits bought, all time, from which on the larger limit holds. */
  readonly boughtEnough: number;
}

/**
 * Every decision the server takes, each under a name. A mutant or a variant is `conforming` with
 * some of them replaced. Decisions use one another through `call.behaviour` only, so that a
 * replaced one is in force everywhere; what must outlast a request goes into `call.server.memory`.
 */
export interface Behaviour {
  /** The request target that is routed in place of the one sent; the control never passes here. */
  readonly rewriteTarget: (target: string, method: string) => string;
  /** What a request is taken for once it is routed and its key is known; the gates judge what is returned. */
  readonly receive: (call: Call) => Call;
  /** §5.1, §5.2. */
  readonly authenticate: (authorization: string | undefined, store: WorldStore) => Key | undefined;
  /** §4.1, §5.5. */
  readonly isRegionalHost: (host: string | undefined, regionalHost: string) => boolean;
  /** §4.1. */
  readonly isInternId: (text: string) => boolean;
  /** §2.3. */
  readonly isSecretName: (name: string) => boolean;
  /** Which intern of the workspace has this id (§4.1). */
  readonly findIntern: (world: World, internId: string) => Intern | undefined;
  /** Which secret a vault delete names (§4.1). */
  readonly findSecret: (call: Call) => SecretPlace | undefined;
  readonly removeSecret: (call: Call, place: SecretPlace) => void;
  /** Which guardrail a guardrail read names (§4.2). */
  readonly findGuardrail: (call: Call) => JsonObject | undefined;
  /** The `data` member of a guardrail read (§2.1). */
  readonly guardrailView: (call: Call, guardrail: JsonObject) => JsonObject;
  /** The `data` member of a key read (§2.2). */
  readonly keyInformation: (call: Call, key: Key) => JsonObject;
  /** When the windows of usage began (§2.2); `now` is in milliseconds since 1970. */
  readonly usageWindows: (now: number) => UsageWindows;
  /** The part of a key's requests that counts toward its limit (§2.2). */
  readonly limitUse: (key: Key) => number;
  /** §8.2. */
  readonly isFreeModel: (model: string) => boolean;
  /** §8.2. */
  readonly limits: FreeLimits;
  /** The account whose requests to free models are counted. */
  readonly usageOf: (call: Call, key: Key) => FreeUsage;
  /** Counts a request to a free model. */
  readonly countUse: (call: Call, usage: FreeUsage) => void;
  /** §6. */
  readonly streamErrorEvent: (head: CompletionHead, refusal: Refusal) => JsonObject;
  /** §7. */
  readonly faults: Readonly<Record<Fault, FaultRule>>;
  /** The gates that a call must pass, in order. */
  readonly gates: Readonly<Record<Operation, readonly Gate[]>>;
  /** What is done after the gates. */
  readonly effects: Readonly<Record<Operation, Effect>>;
  /** How a refusal is answered. */
  readonly refuse: (call: Call, refusal: Refusal) => Answer;
  /** §2.4. */
  readonly envelope: (call: Call, refusal: Refusal) => JsonObject;
  readonly errorMediaType: string;
  /** §7.4; `now` is in milliseconds since 1970. */
  readonly platformHeaders: (platform: PlatformLimit, now: number) => Record<string, string>;
  /** Edits every answer last of all, those of refusals and unknown routes included. */
  readonly answer: (answer: Answer, call: Call) => Answer;
  /** Puts an answer on the wire; may take its time, and may use the raw socket. */
  readonly transmit: (response: ServerResponse, answer: Answer, call: Call) => void | Promise<void>;
}

/** What a call does and is answered once every gate has let it pass. */
export type Effect = (call: Call) => Answer;

/** Where one stored secret lies. */
export interface SecretPlace {
  readonly scope: Scope;
  readonly name: string;
}

/** What all chunks of one answer share; `created` is in seconds since 1970. */
export interface CompletionHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** What a fault does to the calls it concerns. */
export interface FaultRule {
  readonly on: Operation;
  readonly refusal: Refusal;
  readonly freeModelsOnly?: true;
  /** The refusal comes within a stream that has begun (§6): of streams alone, or if a stream is asked for. */
  readonly midStream?: 'alone' | 'streamed';
  /** Fallback routing makes up for it (§7.4): nobody is refused. */
  readonly isOvercome?: true;
}

/** The body of a request. `gone`: the client went away. */
export type Body =
  | { readonly state: 'complete'; readonly text: string }
  | { readonly state: 'none' | 'stalled' | 'too-long' | 'gone' };

/** The body of a request that has none. */
export const NO_BODY: Body = { state: 'none' };
