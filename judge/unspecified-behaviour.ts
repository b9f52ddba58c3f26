import { isObject } from '../spec/json.js';
import type { RequirementId } from '../spec/ledger.js';
import { getOrInsert } from '../spec/maps.js';
import { copyBeginning, type Exchange, header, isAnswered, readData } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';
import { readErrorMetadata } from './answer-rules.js';

type Data = Readonly<Record<string, unknown>>;

/** Notes what a server does where the document says *not shown*; nothing is asserted. */
type Observer = readonly [RequirementId, (exchange: Exchange) => readonly string[]];

function observeData(
  operation: 'guardrail-read' | 'key-info',
  observers: readonly (readonly [RequirementId, (data: Data) => readonly string[]])[],
): readonly Observer[] {
  return observers.map(([requirement, observe]) => [
    requirement,
    (exchange) =>
      exchange.operation === operation && exchange.answer?.status === 200 ? observe(readData(exchange)) : [],
  ]);
}

const observers: readonly Observer[] = [
  ...observeData('guardrail-read', [
    ['guardrail-read.field.content_filters', (data) => describeKind(data.content_filters)],
    [
      'guardrail-read.field.model-element-type',
      (data) =>
        [data.allowed_models, data.ignored_models].flatMap((list) =>
          listElements(list).flatMap(describeKind),
        ),
    ],
    ['guardrail-read.field.reset-interval-values', (data) => listTexts(data.reset_interval)],
    [
      'guardrail-read.field.filter-action-values',
      (data) =>
        listElements(data.content_filter_builtins).flatMap((one) =>
          isObject(one) ? listTexts(one.action) : [],
        ),
    ],
    ['guardrail-read.field.presence', (data) => Object.keys(data)],
  ]),
  ...observeData('key-info', [
    ['key-info.field.rate_limit', (data) => describeKind(data.rate_limit)],
    ['key-info.field.limit-reset-values', (data) => listTexts(data.limit_reset)],
  ]),
  [
    'auth.regional-host',
    (exchange) => {
      const isElsewhere = exchange.operation !== 'vault-delete' && exchange.reaches === 'perhaps';
      return isElsewhere && !namesItsHost(exchange.request) ? describeRouted(exchange) : [];
    },
  ],
  [
    'rate-limit.error-types',
    (exchange) =>
      isAnswered(exchange) && exchange.answer.status >= 400
        ? listTexts(readErrorMetadata(exchange).error_type)
        : [],
  ],
  [
    'secret-name.routing',
    (exchange) =>
      exchange.operation === 'vault-delete' && exchange.request.method === 'DELETE'
        ? describeRouted(exchange)
        : [],
  ],
];

/** Describes the answer to a request that may have been routed elsewhere. */
function describeRouted({ answer, label, reaches }: Exchange): readonly string[] {
  return reaches === 'perhaps' && answer !== undefined ? [`${label}: ${answer.status}`] : [];
}

/** Whether a request names the host that it was sent to, in whatever spelling: then that was no regional hostname. */
function namesItsHost({ url, headers }: Exchange['request']): boolean {
  const named = header({ headers }, 'host')?.toLowerCase();
  const { host, hostname } = new URL(url);
  return named === host || named === hostname;
}

/** Observations of one thing that are kept: a server that never repeats itself must not grow the report. */
export const observationsKept = 30;
const lengthKept = 120;
// Texts that differ only beyond it count as one.
const lengthCompared = 4_000;

/** What was seen of each thing that the document does not show. */
export class UnspecifiedBehaviour {
  readonly #observed = new Map<RequirementId, Map<string, string>>();

  constructor(private readonly redactor: Redactor) {}

  observe(exchange: Exchange): void {
    for (const [requirement, observe] of observers)
      for (const seen of observe(exchange)) this.#note(requirement, seen);
  }

  listObserved(requirement: RequirementId): readonly string[] {
    return [...new Set(this.#observed.get(requirement)?.values())];
  }

  // Redacting is expensive, and most of what is seen was seen before.
  #note(requirement: RequirementId, whole: string): void {
    const seen = copyBeginning(whole, lengthCompared);
    const known = getOrInsert(this.#observed, requirement, () => new Map());
    if (known.has(seen) || known.size >= observationsKept) return;
    known.set(seen, this.redactor.redactBeginning(whole, lengthKept));
  }
}

function listTexts(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}

function listElements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function describeKind(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (value === null) return ['null'];
  return [Array.isArray(value) ? 'array' : typeof value];
}
