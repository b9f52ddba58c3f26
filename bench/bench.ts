import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { allChecks } from '../suites/all-checks.js';
import { nameProperties } from '../suites/generated/names.js';
import { Client } from '../targets/client.js';
import { ControlClient } from '../targets/control-client.js';
import { judged } from './judged.js';
import { startSeparate } from './separate-server.js';
import { bareThroughput } from './throughput.js';

// The figures that a run is held to, as ratios taken in one run on one machine.
//   node dist/bench/bench.js [--cases N]   also runs N cases of one property, for growth and memory

const plan = { seed: 1, depth: 'standard' } as const;
const results: Record<string, number> = {};

function told(name: string, value: number, target: string): void {
  results[name] = Math.round(value * 1000) / 1000;
  process.stdout.write(`${name.padEnd(58)} ${String(results[name]).padStart(10)}   ${target}\n`);
}

/** The bare client asks what the suite asks most: a delete that is refused. */
async function refusedDelete(controlUrl: string, baseUrl: string) {
  const client = new Client({ concurrency: 1, timeoutMs: 10_000 });
  const world = await new ControlClient(client, { url: controlUrl }).createWorld('bench');
  client.close();
  return { url: `${baseUrl}/vault/interns/${world.interns.own}/secrets/none`, key: world.keys.member ?? '' };
}

async function wholeWay(): Promise<void> {
  const server = await startSeparate();
  const names = nameProperties.slice(0, 2);
  const bare = await refusedDelete(server.controlUrl, server.baseUrl);
  const many = { ...plan, cases: 4_000 };
  // Once to warm up, then alternating, so that both meet the same machine.
  await bareThroughput(bare.url, bare.key, 4_000);
  await judged(server, names, many);
  const ratios: number[] = [];
  for (let round = 1; round <= 3; round++) {
    const whole = await judged(server, names, many);
    const alone = await bareThroughput(bare.url, bare.key, whole.requests);
    results[`requests/s the whole way, round ${round}`] = Math.round(whole.requestsPerSecond);
    results[`requests/s of bare node:http, round ${round}`] = Math.round(alone);
    ratios.push(whole.requestsPerSecond / alone);
  }
  told('requests/s the whole way ÷ bare node:http, best of 3', Math.max(...ratios), 'at least 0.40');
  server.close();
}

async function growth(most: number): Promise<void> {
  const server = await startSeparate();
  const [names] = nameProperties;
  if (names === undefined) throw new Error('There is no property of names.');
  await judged(server, [names], { ...plan, cases: 2_000 });
  let before: number | undefined;
  for (let cases = 10_000; cases <= most; cases *= 10) {
    const { seconds } = await judged(server, [names], { ...plan, cases });
    const megabytes = process.memoryUsage().rss / 1_048_576;
    told(`${cases} cases: seconds`, seconds, '');
    told(`${cases} cases: memory in MB`, megabytes, 'under 300');
    if (before !== undefined)
      told('10 times the cases ÷ 10 times the time', seconds / before / 10, '0.9 to 1.1');
    before = seconds;
  }
  server.close();
}

async function latency(latencyMs: number): Promise<void> {
  const server = await startSeparate(latencyMs);
  const { requests, seconds } = await judged(server, allChecks, plan);
  const ideal = (requests * latencyMs) / 1000 / 16;
  told(`at ${latencyMs} ms: time ÷ (requests × latency ÷ 16)`, seconds / ideal, 'at most 1.25');
  server.close();
}

async function start(): Promise<void> {
  const command = fileURLToPath(new URL('../cli/plumbline.js', import.meta.url));
  const times: number[] = [];
  for (let round = 1; round <= 3; round++) {
    const begun = performance.now();
    await promisify(execFile)(process.execPath, [
      command,
      'run',
      '--quiet',
      '--report',
      'plumbline-report/bench',
    ]);
    times.push((performance.now() - begun) / 1000);
  }
  told('the standard run on the embedded server, seconds', Math.min(...times), 'at most 3');
}

const cases = process.argv.indexOf('--cases');
await start();
await wholeWay();
await growth(cases < 0 ? 100_000 : Number(process.argv[cases + 1]));
await latency(80);
await writeFile('bench/results.json', `${JSON.stringify(results, null, 2)}\n`);
