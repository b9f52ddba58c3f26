import type { RequirementId } from '../spec/ledger.js';
import type { Operation } from '../spec/vocabulary.js';
import { copyBeginning, dataOf, type Exchange, isAnswered, isObject, json } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';

/** What is noted of an answer where the document says *not shown*; nothing is asserted. */
interface Observer {
  readonly requirement: RequirementId;
  /** The operation whose answers it looks at; all where absent. */
  readonly on?: Operation;
  readonly observe: (exchange: Exchange) => readonly string[];
  /** What is noted are our own words and a status, in which no server can put a secret. */
  readonly isSafe?: true;
}

function data(exchange: Exchange): Readonly<Record<string, unknown>> {
  return isAnswered(exchange) && exchange.answer.status === 200 ? dataOf(exchange) : {};
}

/** Whether a request names the host that it was sent to, in whatever spelling: then it was on no regional hostname. */
function namesItsHost({ url, headers }: Exchange['request']): boolean {
  const named = headers.find(([name]) => name.toLowerCase() === 'host')?.[1].toLowerCase();
  const { host, hostname } = new URL(url);
  return named === host || named === hostname;
}

const observers: readonly Observer[] = [
  {
    requirement: 'guardrail-read.field.content_filters',
    on: 'guardrail-read',
    observe: (exchange) => kinds(data(exchange).content_filters),
  },
  {
    requirement: 'guardrail-read.field.model-element-type',
    on: 'guardrail-read',
    observe: (exchange) =>
      ['allowed_models', 'ignored_models'].flatMap((name) => elements(data(exchange)[name]).flatMap(kinds)),
  },
  {
    requirement: 'guardrail-read.field.reset-interval-values',
    on: 'guardrail-read',
    observe: (exchange) => texts(data(exchange).reset_interval),
  },
  {
    requirement: 'guardrail-read.field.filter-action-values',
    on: 'guardrail-read',
    observe: (exchange) =>
      elements(data(exchange).content_filter_builtins).flatMap((filter) =>
        isObject(filter) ? texts(filter.action) : [],
      ),
  },
  {
    requirement: 'guardrail-read.field.presence',
    on: 'guardrail-read',
    observe: (exchange) => Object.keys(data(exchange)),
  },
  {
    requirement: 'key-info.field.rate_limit',
    on: 'key-info',
    observe: (exchange) => kinds(data(exchange).rate_limit),
  },
  {
    requirement: 'key-info.field.limit-reset-values',
    on: 'key-info',
    observe: (exchange) => texts(data(exchange).limit_reset),
  },
  {
    requirement: 'auth.regional-host',
    isSafe: true,
    observe: ({ answer, label, operation, reaches, request }) =>
      operation !== 'vault-delete' && reaches === 'perhaps' && !namesItsHost(request) && answer !== undefined
        ? [`${label}: ${answer.status}`]
        : [],
  },
  {
    requirement: 'rate-limit.error-types',
    observe: ({ answer }) => {
      const body = answer !== undefined && answer.status >= 400 ? json(answer) : undefined;
      const error = isObject(body) ? body.error : undefined;
      const metadata = isObject(error) ? error.metadata : undefined;
      return isObject(metadata) ? texts(metadata.error_type) : [];
    },
  },
  {
    requirement: 'secret-name.routing',
    on: 'vault-delete',
    isSafe: true,
    observe: ({ answer, label, reaches, request: { method } }) =>
      method === 'DELETE' && reaches === 'perhaps' && answer !== undefined
        ? [`${label}: ${answer.status}`]
        : [],
  },
];

/** What is kept of one thing: a server that never repeats itself must not grow the report. */
export const observationsKept = 30;
const lengthKept = 120;
// What differs only beyond it counts as seen before.
const lengthCompared = 4_000;

/** What was seen of each thing that the document does not show. */
export class UnspecifiedBehaviour {
  readonly #observed = new Map<RequirementId, Map<string, string>>();
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes note of an exchange. */
  observe(exchange: Exchange): void {
    for (const { requirement, on, observe, isSafe } of observers) {
      if (on !== undefined && on !== exchange.operation) continue;
      for (const seen of observe(exchange)) this.#note(requirement, seen, isSafe === true);
    }
  }

  /** What was seen, in the order in which it was first seen. */
  listObserved(requirement: RequirementId): readonly string[] {
    return [...new Set(this.#observed.get(requirement)?.values())];
  }

  // Redacting is expensive, and most of what is seen was seen before.
  #note(requirement: RequirementId, whole: string, isOurs: boolean): void {
    const seen = copyBeginning(whole, lengthCompared);
    const known = this.#observed.get(requirement) ?? new Map<string, string>();
    this.#observed.set(requirement, known);
    if (known.has(seen) || known.size >= observationsKept) return;
    known.set(seen, isOurs ? seen.slice(0, lengthKept) : this.#redactor.redactBeginning(whole, lengthKept));
  }
}

function texts(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}

function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function kinds(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (value === null) return ['null'];
  return [Array.isArray(value) ? 'array' : typeof value];
}
