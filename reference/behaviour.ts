import type { ServerResponse } from 'node:http';
import { type Answer, JSON_MEDIA_TYPE, type Refusal } from './answer.js';
import { authenticate } from './authorization.js';
import type { Call } from './call.js';
import { type CompletionHead, streamErrorEvent } from './completion.js';
import { type Effect, effects, refuse } from './effects.js';
import { envelope, platformHeaders } from './envelope.js';
import { type FaultRule, faults } from './faults.js';
import type { FreeUsage } from './free-usage.js';
import type { Gate } from './gate.js';
import { guardrailReadGates } from './guardrail-gates.js';
import { inferenceGates } from './inference-gates.js';
import type { JsonObject } from './json.js';
import { keyReadGates } from './key-gates.js';
import { isFreeModel } from './models.js';
import { isRegionalHost } from './regional-host.js';
import { isSecretName } from './secret-name.js';
import { transmit } from './transmit.js';
import { limitUse, type UsageWindows, usageFigures, usageWindows } from './usage-records.js';
import { isUuid } from './uuid.js';
import { vaultDeleteGates, vaultOtherGates, vaultStoreGates } from './vault-gates.js';
import { findGuardrail, findIntern, findSecret, removeSecret, type SecretPlace } from './visibility.js';
import type { Fault, Intern, Operation } from './vocabulary.js';
import type { Key, World } from './world.js';
import type { WorldStore } from './world-store.js';

/** The limits of free models (§8.2). */
interface FreeLimits {
  readonly perMinute: number;
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
  /** What counts toward the limit of a key of all that it has made (§2.2). */
  readonly limitUse: (key: Key) => number;
  /** §8.2. */
  readonly isFreeModel: (model: string) => boolean;
  /** §8.2. */
  readonly limits: FreeLimits;
  /** The account whose requests to free models are counted. */
  readonly usageOf: (call: Call, key: Key) => FreeUsage;
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
  readonly platformHeaders: (
    platform: NonNullable<Refusal['platform']>,
    now: number,
  ) => Record<string, string>;
  /** The last look at every answer, refusals and unknown routes included. */
  readonly answer: (answer: Answer, call: Call) => Answer;
  /** Puts an answer on the wire; may take its time, and may use the raw socket. */
  readonly transmit: (response: ServerResponse, answer: Answer, call: Call) => void | Promise<void>;
}

/** The behaviour that keeps to the document. */
export const conforming: Behaviour = {
  rewriteTarget: (target) => target,
  receive: (call) => call,
  authenticate,
  isRegionalHost,
  isInternId: isUuid,
  isSecretName,
  findIntern,
  findSecret,
  removeSecret,
  findGuardrail,
  guardrailView: (_call, guardrail) => guardrail,
  keyInformation,
  usageWindows,
  limitUse,
  isFreeModel,
  limits: { perMinute: 20, perDaySmall: 50, perDayLarge: 1000, boughtEnough: 10 },
  usageOf: (_call, key) => key.usage,
  streamErrorEvent,
  faults,
  gates: {
    'vault-delete': vaultDeleteGates,
    'guardrail-read': guardrailReadGates,
    'key-read': keyReadGates,
    inference: inferenceGates,
    'vault-store': vaultStoreGates,
    'vault-other': vaultOtherGates,
    'no-route': [],
    'wrong-method': [],
    'malformed-target': [],
  },
  effects,
  refuse,
  envelope,
  errorMediaType: JSON_MEDIA_TYPE,
  platformHeaders,
  answer: (answer) => answer,
  transmit,
};

function keyInformation({ behaviour, server }: Call, key: Key): JsonObject {
  const { information, records } = key;
  if (records === undefined) return information;
  const figures = { ...information, ...usageFigures(records, behaviour.usageWindows(server.now())) };
  const { limit } = information;
  if (typeof limit !== 'number') return figures;
  return { ...figures, limit_remaining: Math.max(0, limit - behaviour.limitUse(key)) };
}
