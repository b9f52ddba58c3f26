import { perMinute, type RuleResult, tooManyPerMinute } from '../judge/answer-rules.js';
import { makeEvidence } from '../judge/evidence.js';
import type { Finding, Violation } from '../judge/finding.js';
import { requirement } from '../spec/ledger.js';
import { type Answered, type Exchange, isAnswered, type SentRequest } from '../targets/exchange.js';
import { publicAddresses } from '../targets/profile/profile.js';
import { ProxyDetector } from '../targets/proxy-detection.js';
import { Redactor } from '../targets/redaction.js';
import {
  type ObservedRoute,
  ObservedRoutes,
  type ObservedTarget,
  UnmatchedRequests,
} from './observed-routes.js';
import { ObservedRows } from './observed-rows.js';
import {
  explainForeign,
  findUndecidedRow,
  judgeObserved,
  judgeOtherRoute,
  judgeSuccess,
} from './observed-rules.js';
import { ObservedValues } from './observed-values.js';
import { type PassedExchange, toRecorded } from './passing-exchange.js';
import type { RecordingItem } from './read-recording.js';
import { describePlace, isAsSent, type RecordedExchange } from './recorded-exchange.js';
import { findKey, isMasked, RecordedSecrets, redactRecorded } from './recorded-secrets.js';
import { FreeLimit, mayStore, RepeatedDeletes } from './repetition-rules.js';

interface ObservedOptions extends ObservedTarget {
  /** Secret values that no response may contain. */
  readonly canaries: readonly string[];
  readonly redactor?: Redactor;
  /** Whether it is an app in tests: no gateway answers in its place, and its counts may restart between tests. */
  readonly isDirect?: boolean;
  readonly onFinding?: (finding: Finding) => void;
  /** Called with each exchange of an operation. */
  readonly onExchange?: (exchange: Exchange) => void;
}

const notesKept = 10;
// Characters of exchanges that are kept while the target is not known.
const mostHeld = 20_000_000;

/** Judges recorded exchanges one by one by the rules of a run, and keeps only what is reported. */
export class ObservedJudge {
  /** The number of entries by outcome. */
  readonly counts = {
    judged: 0,
    elsewhere: 0,
    without_response: 0,
    without_body: 0,
    undecided: 0,
    skipped: 0,
  };
  /** The first places where files are broken, one line each. */
  readonly breaks: string[] = [];
  /** The number of all such places. */
  breakCount = 0;
  readonly rows: ObservedRows;
  readonly #options: ObservedOptions;
  readonly #routes: ObservedRoutes;
  readonly #redactor: Redactor;
  readonly #secrets: RecordedSecrets;
  readonly #values: ObservedValues;
  readonly #proxies = new ProxyDetector();
  readonly #freeLimit = new FreeLimit();
  /** Secrets that were deleted twice with no store in between. */
  readonly deletes = new RepeatedDeletes();
  readonly #unmatched = new UnmatchedRequests();
  readonly #skipped: string[] = [];
  #isBaseUrlShown = false;
  /** Exchanges from before the target was known, which may be with it. */
  readonly #held: RecordedExchange[] = [];
  #heldLength = 0;

  constructor(options: ObservedOptions) {
    const { redactor = new Redactor() } = options;
    this.#options = options;
    this.#routes = new ObservedRoutes(options);
    this.#redactor = redactor;
    this.#secrets = new RecordedSecrets(redactor);
    this.#values = new ObservedValues(options.canaries, redactor);
    this.rows = new ObservedRows({ canaries: this.#values, redactor });
  }

  /** Judges what was read of a recording. Throws AmbiguousTarget. */
  take(item: RecordingItem): void {
    if (item.kind === 'exchange') {
      this.#takeExchange(item.exchange);
      return;
    }
    this.#secrets.noteUnread(item.held);
    if (item.kind === 'broken') this.noteBreak(`${item.file} is broken at byte ${item.byte}: ${item.why}`);
    else {
      this.noteGap();
      this.counts.skipped += 1;
      if (this.#skipped.length < notesKept)
        this.#skipped.push(`${describePlace(item.place)} was passed over: ${item.why}`);
    }
  }

  /**
   * Judges an exchange that passed, or only notes its secrets.
   * @param file stands for where it passed: `throughProxy` or `toApp`
   */
  takePassed(passed: PassedExchange, file: string): void {
    const recorded = toRecorded(passed, { file, entry: this.entries, byte: 0 });
    if (passed.isWatched) this.#judgeExchange(recorded);
    else this.#secrets.note(recorded, true);
  }

  /** Records a file, or a place in one, that cannot be read. */
  noteBreak(line: string): void {
    this.noteGap();
    this.breakCount += 1;
    if (this.breaks.length < notesKept) this.breaks.push(line);
  }

  /** The number of all entries, judged or not. */
  get entries(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  get notes(): readonly string[] {
    const moreBreaks = this.breakCount - this.breaks.length;
    const moreSkipped = this.counts.skipped - this.#skipped.length;
    return [
      ...this.breaks,
      ...(moreBreaks > 0 ? [`${moreBreaks} more such places`] : []),
      ...this.#skipped,
      ...(moreSkipped > 0 ? [`${moreSkipped} more entries could not be read as exchanges`] : []),
    ];
  }

  /** The base URL that is judged, if it is known yet. */
  get baseUrl(): string | undefined {
    return this.#routes.baseUrl;
  }

  /** Advice on how to have more of the traffic judged. */
  get hints(): readonly string[] {
    return this.#unmatched.hints(this.#routes);
  }

  /** Records that exchanges are missing: they may have stored something. */
  noteGap(): void {
    this.deletes.noteStore({});
  }

  /** Redacts a value after everything is read: a key may appear before the exchange that shows that it is one. */
  redact<T>(value: T): T {
    return this.#redactor.redactTexts(value);
  }

  /** Judges an exchange once it is known whose it is. Throws AmbiguousTarget. */
  #takeExchange(recorded: RecordedExchange): void {
    const { request, answer, isLive } = recorded;
    if (isLive) this.#routes.infer(request);
    if (isLive && this.#routes.mayBeBelow(request)) {
      this.#held.push(recorded);
      this.#heldLength += (request.body?.length ?? 0) + (answer?.text.length ?? 0) + 1_000;
      if (this.#heldLength > mostHeld) this.#judgeHeld();
      return;
    }
    if (this.baseUrl !== undefined) this.#judgeHeld();
    this.#judgeExchange(recorded);
  }

  #judgeHeld(): void {
    for (const recorded of this.#held.splice(0)) this.#judgeExchange(recorded);
    this.#heldLength = 0;
  }

  /** Judges what is left when everything is read. */
  end(): void {
    this.#routes.inferFromVault(this.#held.map(({ request }) => request.url));
    this.#judgeHeld();
  }

  #judgeExchange(recorded: RecordedExchange): void {
    const { request } = recorded;
    const route = recorded.isLive ? this.#routes.match(request) : undefined;
    this.#showBaseUrl();
    // A later answer may repeat them, whatever becomes of this exchange.
    this.#secrets.note(recorded, this.#isElsewhere(request));
    const isDelete = route?.operation === 'vault-delete' && route.reaches === 'operation';
    if (!isDelete && mayStore(recorded)) this.deletes.noteStore(recorded);
    if (route === undefined) {
      this.counts.elsewhere += 1;
      this.#unmatched.note(recorded, this.#routes);
      return;
    }
    this.#values.note(recorded);
    const exchange = toExchange(recorded, route);
    this.#options.onExchange?.(exchange);
    if (!isAnswered(exchange)) this.counts.without_response += 1;
    else if (recorded.lacksBody) this.counts.without_body += 1;
    else this.#judgeAnswer(exchange, recorded, route);
  }

  /** Whether a request is known to have gone elsewhere than to the target. */
  #isElsewhere({ url }: SentRequest): boolean {
    return this.baseUrl !== undefined && this.#routes.below(url) === undefined;
  }

  /** Exempts the base URL from redaction: browsers repeat it in `Referer`, whose values count as secrets. */
  #showBaseUrl(): void {
    const { baseUrl } = this;
    if (this.#isBaseUrlShown || baseUrl === undefined) return;
    this.#redactor.addPublic(publicAddresses(baseUrl));
    this.#isBaseUrlShown = true;
  }

  #judgeAnswer(exchange: Answered, recorded: RecordedExchange, route: ObservedRoute): void {
    const { status, truncated, lacksHeaders } = exchange.answer;
    const isReached = route.reaches === 'operation';
    const isOwn = !isReached || (this.#options.isDirect === true && status !== 304 && !truncated);
    const foreign = isOwn ? undefined : explainForeign(exchange, this.#proxies);
    if (foreign !== undefined) {
      this.counts.undecided += 1;
      // A client may break off at any time.
      const id = truncated && isAsSent(recorded) ? undefined : findUndecidedRow(exchange);
      if (id !== undefined)
        this.rows.countUndecided(id, exchange, `${foreign} in ${describePlace(recorded.place)}`);
    } else this.counts.judged += 1;
    const ofService = lacksHeaders ? 'headerless' : 'whole';
    const scope = foreign === undefined ? ofService : 'foreign';
    for (const finding of this.rows.judge(scope, exchange)) this.#addViolation(finding, recorded);
    if (isReached && foreign === undefined) this.#judgeOperation(exchange, recorded, route);
    if (!isReached && isAsSent(recorded)) this.#count(judgeOtherRoute(exchange), exchange, recorded);
  }

  #judgeOperation(exchange: Answered, recorded: RecordedExchange, { parameters }: ObservedRoute): void {
    const { operation, answer } = exchange;
    const rulings = [...judgeObserved(exchange), ...judgeSuccess(exchange, parameters, isAsSent(recorded))];
    const isCounted = operation === 'inference' && this.#options.isDirect !== true;
    const tooMany = isCounted ? this.#freeLimit.take(exchange, recorded) : undefined;
    if (tooMany !== undefined) {
      const { model, first, count } = tooMany;
      rulings.push({
        requirement: 'rate-limit.minute.refused',
        ok: false,
        expected: `at most ${perMinute} successes a minute, and so no ${tooManyPerMinute} within any`,
        actual: `${count} successes of one key on ${model} within a minute, from ${describePlace(first)} on`,
        mismatch: { wrong: 'status', due: [429] },
      });
    }
    this.#count(rulings, exchange, recorded);
    if (operation === 'vault-delete' && (answer.status === 204 || answer.status === 404))
      this.deletes.noteDelete(recorded, answer.status);
  }

  #count(rulings: readonly RuleResult[], exchange: Answered, recorded: RecordedExchange): void {
    for (const ruling of rulings) {
      this.rows.count(ruling.requirement, exchange);
      if (!ruling.ok) this.#addViolation(toFinding(ruling, exchange), recorded);
    }
  }

  #addViolation(finding: Finding, recorded: RecordedExchange): void {
    this.#options.onFinding?.(finding);
    this.rows.addViolation(finding.requirement, () => this.#makeViolation(finding, recorded));
  }

  #makeViolation(finding: Finding, { place, request }: RecordedExchange): Violation {
    const { section } = requirement(finding.requirement);
    const redacted = redactRecorded({ ...finding.exchange, request });
    const headers = redacted.request.headers.filter(([name]) => !madeByTheClient.has(name.toLowerCase()));
    const evidence = makeEvidence(
      {
        ...finding,
        message: `${describePlace(place)}: ${finding.message} (§${section})`,
        counterexample: { ...place, section, ...finding.counterexample },
        exchange: { ...redacted, request: { ...redacted.request, headers } },
      },
      [redacted],
      this.#redactor,
    );
    // A recorded exchange cannot be repeated, so that one is enough. A copy, since a slice keeps its whole text in memory.
    return structuredClone({ ...evidence, confirmed: '1/1' });
  }
}

function toExchange(recorded: RecordedExchange, { operation, reaches, label }: ObservedRoute): Exchange {
  const { request, answer, startedAt = 0, durationMs = 0 } = recorded;
  const key = isAsSent(recorded) ? undefined : findKey(request.headers);
  // An answer that contains the mask of a masked key does not repeat the key.
  const isHidden = key !== undefined && isMasked(key) && !key.startsWith('$PLUMBLINE_');
  const headers = request.headers.filter(([name]) => !isHidden || name.toLowerCase() !== 'authorization');
  return { operation, reaches, label, request: { ...request, headers }, answer, startedAt, durationMs };
}

function toFinding({ requirement, expected, actual, mismatch }: RuleResult, exchange: Answered): Finding {
  const { operation, answer, label } = exchange;
  const subject = `${requirement} @ ${operation}.${answer.status}`;
  return {
    subject,
    key: subject,
    requirement,
    conclusive: true,
    message: `${operation} ${answer.status} (${label}): expected ${expected}, got ${actual}`,
    expected,
    actual,
    mismatch,
    counterexample: { operation, status: answer.status, request: label },
    exchange,
  };
}

// A client makes these header fields itself when the request is sent again.
const madeByTheClient = new Set(['content-length', 'connection', 'transfer-encoding', 'accept-encoding']);
