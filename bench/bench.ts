import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadReport } from '../reports/load-report.js';
import type { Proof } from '../spec/proof.js';
import type { Report } from '../spec/report.js';
import { allChecks } from '../suites/all-checks.js';
import { nameProperties } from '../suites/secret-name.js';
import { Figures } from './figures.js';
import { measureRun } from './measure-run.js';
import { secondsOfCommand, secondsOfNode, startSeparate } from './processes.js';
import { sameRequests } from './same-requests.js';
import { nodeThroughput, undiciThroughput } from './throughput.js';

// The performance figures of the suite, as ratios measured in one run on one machine with two cores.
//   node dist/bench/bench.js             all of them, written to bench/results.json and history.ndjson, whose last runs are shown
//   node dist/bench/bench.js --cases N   growth up to N cases of one property
//   node dist/bench/bench.js --short     the quick ones, compared with bench/results.json; half a minute

const { values: flags } = parseArgs({
  options: { short: { type: 'boolean', default: false }, cases: { type: 'string', default: '100000' } },
});
const { short } = flags;
const resultsFile = 'bench/results.json';
const historyFile = 'bench/history.ndjson';
const plan = { seed: 1, depth: 'standard' } as const;
const figures = await Figures.comparedWith(resultsFile, historyFile);
const folder = await mkdtemp(join(tmpdir(), 'plumbline-bench-'));

async function startUp(): Promise<void> {
  const rounds = short ? 3 : 7;
  const node = await secondsOfNode(['--eval', '0'], rounds);
  const version = await secondsOfCommand(['--version'], rounds);
  figures.note('an empty node, seconds', node);
  figures.record('start-up: plumbline --version ÷ an empty node', version / node, { atMost: 1.5 });
}

/** Measures the standard run, and returns the report of the last. */
async function standardRun(): Promise<Report> {
  const seconds = await secondsOfCommand(['run', '--reference', '--quiet', '--report', folder], 5);
  const report = await loadReport(folder);
  figures.record('the standard run on the embedded server, seconds', seconds, { atMost: 3 });
  const server = await startSeparate();
  let sent = 0;
  await measureRun(server, allChecks, plan, folder, ({ operation }) => {
    // A call of the control protocol is no operation.
    if (operation !== undefined) sent += 1;
  });
  figures.record('requests of a standard run to the target', sent, { atMost: 5_000 });
  server.close();
  return report;
}

async function wholeWay(): Promise<void> {
  const server = await startSeparate();
  // Other work on the machine makes a round slower, never faster: the best of each says the same each time.
  const rounds = short ? 5 : 3;
  const names = nameProperties.slice(0, 2);
  const many = { ...plan, cases: short ? 1_500 : 4_000 };
  // Once to warm up, then alternating, so that all meet the same machine.
  const bare = await sameRequests(server, (onSend) => measureRun(server, names, many, folder, onSend));
  await nodeThroughput(bare);
  await undiciThroughput(bare);
  const best = { whole: 0, node: 0, undici: 0 };
  for (let round = 1; round <= rounds; round++) {
    const whole = await measureRun(server, names, many, folder);
    const node = await nodeThroughput(bare);
    const undici = await undiciThroughput(bare);
    figures.note(`requests/s the whole way, round ${round}`, whole.requestsPerSecond);
    figures.note(`requests/s of bare node:http, round ${round}`, node);
    figures.note(`requests/s of undici, round ${round}`, undici);
    best.whole = Math.max(best.whole, whole.requestsPerSecond);
    best.node = Math.max(best.node, node);
    best.undici = Math.max(best.undici, undici);
  }
  figures.record('requests/s the whole way ÷ bare node:http', best.whole / best.node, { atLeast: 0.5 });
  figures.record('requests/s the whole way ÷ undici', best.whole / best.undici, { atLeast: 0.5 });
  server.close();
}

async function growth(most: number): Promise<void> {
  const server = await startSeparate();
  const [names] = nameProperties;
  if (names === undefined) throw new Error('There is no property of names.');
  const least = short ? 1_000 : 10_000;
  await measureRun(server, [names], { ...plan, cases: 2 * least }, folder);
  let before: number | undefined;
  for (let cases = least; cases <= most; cases *= 10) {
    const { seconds } = await measureRun(server, [names], { ...plan, cases }, folder);
    const megabytes = process.memoryUsage().rss / 1_048_576;
    figures.note(`${cases} cases, seconds`, seconds);
    figures.record(`memory at ${cases} cases, MB`, megabytes, { atMost: 300 });
    const atMost = short ? 1.3 : 1.1;
    if (before !== undefined)
      figures.record(`${cases} cases ÷ 10 times a tenth of them`, seconds / before / 10, { atMost });
    before = seconds;
  }
  server.close();
}

async function latency(latencyMs: number, atMost: number): Promise<void> {
  const server = await startSeparate(latencyMs);
  const { requests, seconds } = await measureRun(server, allChecks, plan, folder);
  const ideal = (requests * latencyMs) / 1000 / 16;
  figures.record(`at ${latencyMs} ms: time ÷ (requests × latency ÷ 16)`, seconds / ideal, { atMost });
  server.close();
}

/** The proof of the everyday catalogue, and what quick catches of it. */
async function proof(): Promise<void> {
  for (const depth of ['quick', 'standard'] as const) {
    const report = join(folder, `proof-${depth}`);
    const args = ['prove', '--depth', depth, '--seed', '1', '--quiet', '--report', report];
    const seconds = await secondsOfCommand(args, 1).catch((error: unknown) => {
      // quick may miss some: then it ends with 1, and the file is there all the same.
      if (depth === 'standard') throw error;
      return 0;
    });
    const written = JSON.parse(await readFile(join(report, 'proof.json'), 'utf8')) as Proof;
    const { totals, curve, servers } = written;
    const caughtAt = `mutants caught at depth ${depth}`;
    for (const { requests, caught } of curve) figures.note(`${caughtAt} within ${requests} requests`, caught);
    const within500 = curve.find(({ requests }) => requests === 500)?.caught ?? 0;
    figures.record(`${caughtAt} within 500 requests, share`, within500 / totals.mutants, { atLeast: 0.98 });
    const atLeast = depth === 'quick' ? 0.9 : 1;
    figures.record(`${caughtAt}, share`, totals.caught / totals.mutants, { atLeast });
    figures.record(`variants accused at depth ${depth}`, totals.accused, { atMost: 0 });
    if (depth !== 'standard') continue;
    const firsts = servers.flatMap((server) => (server.kind === 'mutant' ? (server.first_red_at ?? []) : []));
    const median = firsts.sort((one, other) => one - other)[Math.floor(firsts.length / 2)] ?? 0;
    figures.record('requests until the first violation of a mutant, median', median, { atMost: 150 });
    figures.record('the proof, seconds', seconds, { atMost: 300 });
  }
}

/** Ratios only: seconds differ from machine to machine, and from hour to hour on one. */
async function measureShort(): Promise<readonly string[]> {
  await startUp();
  await wholeWay();
  await growth(10_000);
  return figures.worse;
}

async function measureAll(): Promise<readonly string[]> {
  await startUp();
  const report = await standardRun();
  await wholeWay();
  await growth(Number(flags.cases));
  // Two seconds of a run are work and no waiting, which weigh more the less there is to wait for.
  await latency(20, 1.4);
  await latency(80, 1.25);
  await proof();
  await figures.write(resultsFile);
  await figures.keep(historyFile, report);
  return figures.missed;
}

let trouble = await (short ? measureShort() : measureAll());
// Other work on the machine can make a ratio worse for a while, never better: only what stays worse counts.
if (short && trouble.length > 0) trouble = await measureShort();
await rm(folder, { recursive: true, force: true });
for (const line of trouble) process.stderr.write(`bench: ${line}\n`);
process.exitCode = trouble.length > 0 ? 1 : 0;
