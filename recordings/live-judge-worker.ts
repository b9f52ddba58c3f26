import { parentPort, workerData } from 'node:worker_threads';
import { reportExchange } from '../judge/evidence.js';
import { Selection } from '../judge/selection.js';
import type { KeptExchange } from '../spec/journal.js';
import type { Exchange } from '../targets/exchange.js';
import { Redactor } from '../targets/redaction.js';
import type { LiveFacts, LiveOrder, LiveReply, LiveViolation } from './live-judge.js';
import { ObservedJudge } from './observed-judge.js';
import { makeObservedReport } from './observed-results.js';
import { throughProxy } from './recorded-exchange.js';
import { redactRecorded } from './recorded-secrets.js';

// The thread on which a proxy judges its traffic.

const facts = workerData as LiveFacts;
// Bounds the memory: a proxy may run for days.
const maxRecorded = 5_000;

const startedAt = new Date();
const start = performance.now();
const redactor = new Redactor();
const recorded: KeptExchange[] = [];
let found: LiveViolation[] = [];
const { target: baseUrl, inferencePath, canaries } = facts;
const judge = new ObservedJudge({
  ...{ baseUrl, inferencePath, canaries, redactor },
  onFinding: ({ requirement, message }) => found.push({ requirement, message: redactor.redact(message) }),
  onExchange: record,
});

parentPort?.on('message', (order: LiveOrder) => {
  if (order.kind === 'end') return reply({ kind: 'ended', ...summarize(order) });
  const violations = order.exchanges.map((exchange) => {
    found = [];
    judge.takePassed(exchange, throughProxy);
    return found;
  });
  reply({ kind: 'judged', violations, seen: judge.rows.seen });
});

reply({ kind: 'ready' });

function reply(message: LiveReply): void {
  parentPort?.postMessage(message);
}

function record(exchange: Exchange): void {
  if (!facts.isRecorded || recorded.length >= maxRecorded) return;
  const { label } = exchange;
  recorded.push({ ...reportExchange(redactRecorded(exchange), redactor), check: null, label });
}

function summarize({ unjudged, unreachable, faults }: Extract<LiveOrder, { kind: 'end' }>) {
  if (unjudged > 0) judge.noteGap();
  const missed = `exchanges not judged (too many at once, or an upgraded connection): ${unjudged}`;
  const nothing = 'no answer of the target passed that could be judged';
  const report = makeObservedReport(judge, {
    files: [],
    command: (id) => `${facts.command} --only ${id}`,
    ...{ startedAt, faults, insecure: facts.insecure },
    durationMs: performance.now() - start,
    selection: new Selection({ only: facts.only, skip: facts.skip }),
    unjudged: unreachable === undefined ? nothing : `${nothing}; ${unreachable}`,
    notes: unjudged === 0 ? [] : [missed],
  });
  return { report, traffic: redactor.redactTexts({ exchanges: recorded, sent: judge.entries }) };
}
