import { parentPort, workerData } from 'node:worker_threads';
import { reportedExchange } from '../judge/evidence.js';
import { Selection } from '../judge/plan.js';
import { reportOf } from '../judge/report.js';
import type { KeptExchange } from '../spec/traffic.js';
import type { Exchange } from '../targets/exchange.js';
import { Redactor } from '../targets/redaction.js';
import { KnownValues } from './known-values.js';
import type { LiveFacts, LiveOrder, LiveReply, LiveViolation } from './live-judge.js';
import type { PassedExchange } from './live-proxy.js';
import { observedOf } from './observed-checks.js';
import { ObservedJudge } from './observed-judge.js';
import { ObservedRoutes } from './observed-routes.js';
import { bodyOfBytes, hasNoBody, type RecordedExchange, throughProxy } from './recorded-exchange.js';
import { withoutSecrets } from './recorded-secrets.js';

// The thread on which a proxy judges what passes it.

const facts = workerData as LiveFacts;
// Enough to find what somebody asks about; a proxy may stand for days.
const recordedAtMost = 5_000;

const startedAt = new Date();
const start = performance.now();
const redactor = new Redactor();
const canaries = new KnownValues(facts.canaries);
canaries.registerIn(redactor);
const recorded: KeptExchange[] = [];
let found: LiveViolation[] = [];
const { inferencePath: path } = facts;
const judge = new ObservedJudge({
  routes: new ObservedRoutes({
    baseUrl: facts.target,
    ...(path === undefined ? {} : { inference: { method: 'POST', path } }),
  }),
  canaries,
  redactor,
  onFinding: ({ requirement, message }) => found.push({ requirement, message: redactor.redact(message) }),
  onExchange: record,
});
let entry = 0;

parentPort?.on('message', (order: LiveOrder) => {
  if (order.kind === 'end') return tell({ kind: 'ended', ...summedUp(order) });
  const violations = order.exchanges.map((exchange) => {
    found = [];
    judge.take({ kind: 'exchange', exchange: recordedOf(exchange) });
    return found;
  });
  tell({ kind: 'judged', violations, seen: judge.rows.seen });
});

tell({ kind: 'ready' });

function tell(reply: LiveReply): void {
  parentPort?.postMessage(reply);
}

function record(exchange: Exchange): void {
  if (!facts.isRecorded || recorded.length >= recordedAtMost) return;
  const { label } = exchange;
  recorded.push({ ...reportedExchange(withoutSecrets(exchange), redactor), check: null, label });
}

function recordedOf(passed: PassedExchange): RecordedExchange {
  const { method, url, headers, body, answer, startedAt: at, durationMs } = passed;
  const place = { file: throughProxy, entry, byte: 0 };
  entry += 1;
  const request = { method, url, headers, ...(body === undefined ? {} : { body: textOf(body) }) };
  const common = { place, request, isLive: answer?.status !== 101, startedAt: at, durationMs };
  if (answer === undefined) return { ...common, missing: { body: false, headers: false } };
  const coding = answer.headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
  const read = hasNoBody(method, answer.status)
    ? { text: '', truncated: false }
    : bodyOfBytes(Buffer.from(answer.body), coding);
  const { status, headers: fields, trailers } = answer;
  return {
    ...common,
    missing: { body: read === undefined, headers: false },
    answer: {
      status,
      headers: fields,
      ...(trailers.length === 0 ? {} : { trailers }),
      text: read?.text ?? '',
      truncated: read?.truncated ?? false,
    },
  };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** The report of everything that was judged. What was seen late may be a key that an earlier answer holds. */
function summedUp({ unjudged, faults }: Extract<LiveOrder, { kind: 'end' }>) {
  const observed = observedOf(judge, {
    alone: true,
    baseUrl: facts.target,
    files: [throughProxy],
    command: (id) => `plumbline proxy --target ${facts.target} --only ${id}`,
  });
  const { counts } = judge;
  const lost =
    unjudged === 0 ? [] : [`${unjudged} exchanges passed unjudged, faster than they could be judged`];
  const report = reportOf(
    {
      judgements: [],
      passive: judge.rows.passive,
      unjudged: counts.judged === 0 ? 'no answer of the target passed that could be judged' : undefined,
      stopped: undefined,
      controlViolations: [],
      notes: lost,
      faults,
      observed,
    },
    undefined,
    {
      startedAt,
      durationMs: performance.now() - start,
      complete: true,
      interrupted: false,
      selection: new Selection({ only: facts.only, skip: facts.skip }),
      baseUrl: facts.target,
      controlUrl: undefined,
      seed: 0,
    },
  );
  return {
    report: redactor.redactTexts(report),
    traffic: redactor.redactTexts({ exchanges: recorded, sent: judge.entries }),
  };
}
