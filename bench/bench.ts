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
import { secondsOf, secondsOfCommand, startSeparate } from './processes.js';
import { measureProxies } from './proxies.js';
import { sameRequests } from './same-requests.js';
import { nodeThroughput, undiciThroughput } from './throughput.js';

// The performance figures of the suite, as ratios measured in one run on one machine with two cores.
//   node dist/bench/bench.js           all of them, written to bench/results.json and history.ndjson, whose last runs are shown
//   node dist/bench/bench.js --short   the quick ones, compared with bench/results.json; half a minute

const { values: flags } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const { short } = flags;
const resultsFile = 'bench/results.json';
const historyFile = 'bench/history.ndjson';
const plan = { seed: 1, depth: 'standard' } as const;
const figures = await Figures.comparedWith(resultsFile, historyFile);
const folder = await mkdtemp(join(tmpdir(), 'plumbline-bench-'));

async function startUp(): Promise<void> {
  const rounds = short ? 3 : 7;
  const node = await secondsOf(process.execPath, ['--eval', '0'], rounds);
  const version = await secondsOfCommand(['--version'], rounds);
  figures.note('an empty node, seconds', node);
  figures.record('start-up: plumbline --version ÷ an empty node', version / node, { atMost: 1.5 });
}

/** Measures the standard run, and returns how long it took and the report of the last. */
async function standardRun(): Promise<{ seconds: number; report: Report }> {
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
  return { seconds, report };
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

/** Time and memory of 10 and 100 times the cases that a standard run draws of one property. */
async function growth(): Promise<void> {
  const server = await startSeparate();
  const [names] = nameProperties;
  if (names === undefined) throw new Error('There is no property of names.');
  // As many as a standard run draws of it.
  const drawn = 100;
  // Once to warm up, with what the walk takes.
  await measureRun(server, [names], { ...plan, cases: 20 * drawn }, folder);
  let before: number | undefined;
  for (const times of [10, 100]) {
    const { seconds } = await measureRun(server, [names], { ...plan, cases: times * drawn }, folder);
    const megabytes = process.memoryUsage().rss / 1_048_576;
    figures.note(`${times} times the cases, seconds`, seconds);
    figures.record(`memory at ${times} times the cases, MB`, megabytes, { atMost: 300 });
    if (before !== undefined)
      figures.record('100 times the cases: time ÷ 10 times a tenth of them', seconds / before / 10, {
        atMost: 1.1,
      });
    before = seconds;
  }
  server.close();
}

async function latency(): Promise<void> {
  const latencyMs = 80;
  const server = await startSeparate(latencyMs);
  const { requests, seconds } = await measureRun(server, allChecks, plan, folder);
  const ideal = (requests * latencyMs) / 1000 / 16;
  figures.record(`at ${latencyMs} ms: time ÷ (requests × latency ÷ 16)`, seconds / ideal, {
    atMost: 1.1,
  });
  server.close();
}

async function proxies(): Promise<void> {
  const server = await startSeparate();
  const { judging, bare } = await measureProxies(server, folder);
  figures.note('requests/s of the judging proxy', judging);
  figures.note('requests/s of a bare proxy', bare);
  figures.record('judging proxy: requests/s ÷ a bare proxy', judging / bare, { atLeast: 0.5 });
  server.close();
}

/** The proof of the everyday catalogue, and what quick catches of it. */
async function proof(secondsOfRun: number): Promise<void> {
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
    const within500 = curve.find(({ requests }) => requests === 500)?.caught ?? 0;
    const ofDepth = `at depth ${depth}`;
    figures.record(`mutants caught within 500 requests ${ofDepth}, share`, within500 / totals.mutants, {
      atLeast: 0.98,
    });
    figures.record(`variants failed ${ofDepth}`, totals.accused, { atMost: 0 });
    if (depth !== 'standard') continue;
    figures.record('mutants caught by standard, share', totals.caught / totals.mutants, { atLeast: 1 });
    const firsts = servers.flatMap((server) => (server.kind === 'mutant' ? (server.first_red_at ?? []) : []));
    const median = firsts.sort((one, other) => one - other)[Math.floor(firsts.length / 2)] ?? 0;
    figures.record('requests until the first violation of a mutant, median', median, { atMost: 150 });
    figures.record('the proof ÷ one standard run', seconds / secondsOfRun, { atMost: 27 });
  }
}

async function tests(secondsOfRun: number): Promise<void> {
  const seconds = await secondsOf('npm', ['test'], 1);
  figures.record('npm test ÷ one standard run', seconds / secondsOfRun, { atMost: 40 });
}

/** Ratios only: seconds differ from machine to machine, and from hour to hour on one. */
async function measureShort(): Promise<readonly string[]> {
  await startUp();
  await wholeWay();
  await growth();
  return figures.worse;
}

async function measureAll(): Promise<readonly string[]> {
  await startUp();
  const { seconds, report } = await standardRun();
  await wholeWay();
  await growth();
  await latency();
  await proxies();
  await proof(seconds);
  await tests(seconds);
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
