import type { Ruling } from '../judge/answer-rules.js';
import { evidenceIn } from '../judge/evidence.js';
import type { Finding } from '../judge/finding.js';
import { type RequirementId, requirement } from '../spec/ledger.js';
import { type Answered, type Exchange, isAnswered } from '../targets/exchange.js';
import type { SoughtValues } from '../targets/leak-detection.js';
import { Edge } from '../targets/proxy-detection.js';
import type { Redactor } from '../targets/redaction.js';
import { ObservedValues } from './known-values.js';
import type { ObservedRoute, ObservedRoutes } from './observed-routes.js';
import { type AnswerKind, ObservedRows } from './observed-rows.js';
import { foreignness, rulings } from './observed-rules.js';
import type { RecordingItem } from './read-recording.js';
import { type Place, placeText, type RecordedExchange } from './recorded-exchange.js';
import { isMasked, keyIn, RecordedSecrets, withoutSecrets } from './recorded-secrets.js';
import { FreeLimit, RepeatedDeletes } from './repetition-rules.js';

/** What became of the entries of a recording; together they are all of them. */
export interface ObservedCounts {
  /** Answers that the rules looked at. */
  judged: number;
  /** Of other hosts and paths, and what no server answered: caches, service workers, sockets. */
  elsewhere: number;
  without_response: number;
  /** Their bodies were not recorded. */
  without_body: number;
  /** Answers that may be somebody else's than the service's. */
  undecided: number;
  /** No exchanges, or too long to be read. */
  skipped: number;
}

const notesKept = 10;

/** Judges recorded exchanges one by one by the rules of a run, and keeps no more of them than what is told. */
export class ObservedJudge {
  readonly counts: ObservedCounts = {
    judged: 0,
    elsewhere: 0,
    without_response: 0,
    without_body: 0,
    undecided: 0,
    skipped: 0,
  };
  /** Where files are broken, each in one line; the first of them. */
  readonly breaks: string[] = [];
  #breaksUntold = 0;
  /** What the recording shows of each requirement. */
  readonly rows: ObservedRows;
  readonly #onFinding: ((finding: Finding) => void) | undefined;
  readonly #onExchange: ((exchange: Exchange) => void) | undefined;
  readonly #routes: ObservedRoutes;
  readonly #redactor: Redactor;
  readonly #secrets: RecordedSecrets;
  readonly #values: ObservedValues;
  readonly #edge = new Edge();
  readonly #freeLimit = new FreeLimit();
  readonly #deletes = new RepeatedDeletes();
  readonly #skipped: string[] = [];

  constructor(options: {
    readonly routes: ObservedRoutes;
    readonly canaries: SoughtValues;
    readonly redactor: Redactor;
    /** Is told each finding and each exchange that is judged, as they come. */
    readonly onFinding?: (finding: Finding) => void;
    readonly onExchange?: (exchange: Exchange) => void;
  }) {
    this.#onFinding = options.onFinding;
    this.#onExchange = options.onExchange;
    this.#routes = options.routes;
    this.#redactor = options.redactor;
    this.#secrets = new RecordedSecrets(options.redactor);
    this.#values = new ObservedValues(options.canaries);
    this.rows = new ObservedRows({ canaries: this.#values, redactor: options.redactor });
  }

  /** Takes in what was read of a recording. Throws AmbiguousTarget. */
  take(item: RecordingItem): void {
    if (item.kind === 'exchange') this.#exchange(item.exchange);
    else if (item.kind === 'skipped') this.#skip(item.place, item.why);
    else this.broken(`${item.file} is broken at byte ${item.byte}: ${item.why}`);
  }

  /** Takes note of a file, or a place of one, that cannot be read. */
  broken(told: string): void {
    if (this.breaks.length < notesKept) this.breaks.push(told);
    else this.#breaksUntold += 1;
  }

  /** Places that cannot be read, told or not. */
  get breakCount(): number {
    return this.breaks.length + this.#breaksUntold;
  }

  /** All entries, judged or not. */
  get entries(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** What is to be told beside the rows. */
  get notes(): readonly string[] {
    const more = this.counts.skipped - this.#skipped.length;
    const { note } = this.#deletes;
    return [
      ...this.breaks,
      ...(this.#breaksUntold > 0 ? [`${this.#breaksUntold} more such places`] : []),
      ...this.#skipped,
      ...(more > 0 ? [`${more} more entries could not be read as exchanges`] : []),
      ...(note === undefined ? [] : [note]),
    ];
  }

  /** A value without any secret: a key may be repeated before the exchange that shows it to be one. */
  scrubbed<T>(value: T): T {
    return this.#redactor.redactTexts(value);
  }

  #exchange(recorded: RecordedExchange): void {
    const { request, answer } = recorded;
    const route = recorded.isLive ? this.#routes.match(request) : undefined;
    if (route === undefined) {
      this.counts.elsewhere += 1;
      return;
    }
    this.#secrets.note(recorded);
    this.#values.note(recorded);
    this.#onExchange?.(exchangeOf(recorded, route));
    if (answer === undefined) this.counts.without_response += 1;
    else if (recorded.missing.body) this.counts.without_body += 1;
    else this.#answered(exchangeOf(recorded, route), recorded, route);
  }

  #answered(exchange: Exchange, recorded: RecordedExchange, route: ObservedRoute): void {
    if (!isAnswered(exchange)) return;
    const foreign = route.reaches === 'operation' ? foreignness(exchange, this.#edge) : undefined;
    if (foreign !== undefined) {
      this.counts.undecided += 1;
      this.#undecided(exchange, recorded.place, foreign);
      this.#passively('foreign', exchange, recorded);
      return;
    }
    this.counts.judged += 1;
    this.#passively(recorded.missing.headers ? 'headerless' : 'whole', exchange, recorded);
    if (route.reaches === 'operation') this.#actively(exchange, recorded, route);
    else if (exchange.operation === 'vault-delete') this.#deletes.touched(recorded.request.url);
  }

  #passively(kind: AnswerKind, exchange: Answered, recorded: RecordedExchange): void {
    for (const finding of this.rows.judge(kind, exchange)) this.#violated(finding, recorded);
  }

  #actively(exchange: Answered, recorded: RecordedExchange, route: ObservedRoute): void {
    const { operation, answer } = exchange;
    for (const ruling of rulings(exchange, route, { headersMissing: recorded.missing.headers })) {
      this.rows.count(ruling.requirement, exchange);
      if (!ruling.ok) this.#violated(findingOf(ruling, exchange), recorded);
    }
    if (operation === 'vault-delete' && answer.status === 204)
      this.#deletes.deleted(recorded.request.url, recorded.place);
    if (operation === 'inference') this.#counted(exchange, recorded);
  }

  #counted(exchange: Answered, recorded: RecordedExchange): void {
    const tooMany = this.#freeLimit.take(exchange, recorded);
    if (tooMany === undefined) return;
    const { model, first, count } = tooMany;
    const ruling: Ruling = {
      requirement: 'rate-limit.minute.refused',
      ok: false,
      expected: 'at most 20 successes a minute, and so no 41 within any',
      actual: `${count} successes of one key on ${model} within a minute, from ${placeText(first)} on`,
    };
    this.rows.count(ruling.requirement, exchange);
    this.#violated(findingOf(ruling, exchange), recorded);
  }

  #violated(finding: Finding, recorded: RecordedExchange): void {
    const { place } = recorded;
    this.#onFinding?.(finding);
    if (!this.rows.violated(finding.requirement)) return;
    const { section } = requirement(finding.requirement);
    const told = withoutSecrets({ ...finding.exchange, request: recorded.request });
    const evidence = evidenceIn(
      {
        ...finding,
        message: `${placeText(place)}: ${finding.message} (§${section})`,
        counterexample: { ...place, section, ...finding.counterexample },
        exchange: { ...told, request: { ...told.request, headers: sendable(told.request.headers) } },
      },
      [told],
      this.#redactor,
    );
    // What was recorded cannot be asked for again: it is its own evidence. A copy, since a part of a text keeps all of it.
    this.rows.tell(structuredClone({ ...evidence, confirmed: '1/1' }));
  }

  #undecided(exchange: Answered, place: Place, why: string): void {
    const id = undecidedId(exchange);
    if (id === undefined) return;
    this.rows.undecided(id, exchange, `${why} in ${placeText(place)}`);
  }

  #skip(place: Place, why: string): void {
    this.counts.skipped += 1;
    if (this.#skipped.length < notesKept) this.#skipped.push(`${placeText(place)} was passed over: ${why}`);
  }
}

function exchangeOf(
  { request, answer, startedAt, durationMs }: RecordedExchange,
  route: ObservedRoute,
): Exchange {
  const { operation, reaches, label } = route;
  return {
    operation,
    reaches,
    label,
    request: withoutMask(request),
    answer,
    startedAt: startedAt ?? 0,
    durationMs: durationMs ?? 0,
  };
}

/** The request without a key that somebody masked: an answer that holds the mask repeats no key. */
function withoutMask(request: Exchange['request']): Exchange['request'] {
  const key = keyIn(request.headers);
  if (key === undefined || !isMasked(key) || key.startsWith('$PLUMBLINE_')) return request;
  return { ...request, headers: request.headers.filter(([name]) => name.toLowerCase() !== 'authorization') };
}

/** The row that an answer leaves open which may not be the service's. */
function undecidedId({ operation, answer: { status } }: Answered): RequirementId | undefined {
  if (status >= 400) return 'envelope.json-object';
  if (operation === 'inference') return undefined;
  return status === 200 && operation !== 'vault-delete'
    ? `${operation}.200.data`
    : `${operation}.status-documented`;
}

function findingOf(ruling: Ruling, exchange: Answered): Finding {
  const { operation, answer, label } = exchange;
  const { expected, actual } = ruling;
  const subject = `${ruling.requirement} @ ${operation}.${answer.status}`;
  return {
    subject,
    key: subject,
    requirement: ruling.requirement,
    conclusive: true,
    message: `${operation} ${answer.status} (${label}): expected ${expected}, got ${actual}`,
    expected,
    actual,
    counterexample: { operation, status: answer.status, request: label },
    exchange,
  };
}

const madeByTheClient = new Set(['content-length', 'connection', 'transfer-encoding', 'accept-encoding']);

/** The header fields that a request can be sent again with. */
function sendable(headers: Exchange['request']['headers']): Exchange['request']['headers'] {
  return headers.filter(([name]) => !madeByTheClient.has(name.toLowerCase()));
}
