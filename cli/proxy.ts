import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { LiveJudge, type LiveViolation } from '../recordings/live-judge.js';
import { LiveProxy, type LiveProxyOptions } from '../recordings/live-proxy.js';
import { ObservedRoutes } from '../recordings/observed-routes.js';
import { assertWritable, writeAtomically } from '../reports/atomic-write.js';
import { renderHar } from '../reports/har.js';
import { prepareReportDirectory } from '../reports/report-folder.js';
import { sanitizeLine } from '../reports/sanitize.js';
import { formatCount } from '../reports/wording.js';
import { typedCommand } from '../spec/command-line.js';
import { codeOf, messageOf, UsageError } from '../spec/thrown.js';
import { type TlsOptions, trimSlashes } from '../targets/agents.js';
import { describeLostConnection, explainConnectionError } from '../targets/connection-errors.js';
import type { ProxyFlags } from './flags.js';
import { noTimeLimitMs, ProcessDeadline } from './process-lifetime.js';
import { assertRecordable, publishRun, recordRun } from './publish.js';
import { readCanaries, writeTrafficFlags } from './recordings.js';
import { selectRequirements } from './run-flags.js';
import { readTlsFlags, writeTlsFlags } from './target.js';

// The time for exchanges in flight when it ends.
const graceMs = 2_000;
// The longest that an answer waits for its annotation.
const annotatedWithinMs = 1_000;
const tickMs = 1_000;

/** Passes traffic on and judges it until a signal, a limit or `--bail`. Returns the exit code; throws UsageError. */
export async function runProxy(flags: ProxyFlags): Promise<number> {
  // Only to reject a pattern that matches no requirement, before anything is opened.
  selectRequirements(flags);
  const canaries = await readCanaries(flags.canaryFile);
  const tls = await readTlsFlags(flags);
  await assertRecordable(flags);
  if (flags.record !== undefined) await assertWritable(flags.record, '--record');
  await assertOtherAddress(flags);
  using _folder = await prepareReportDirectory(flags.report);
  using deadline = new ProcessDeadline(flags.maxTime ?? noTimeLimitMs);
  const screen = new Screen(flags.quiet);
  const { origin, pathname } = new URL(flags.target);
  // Normalized like the URLs of what passes: the host in lower case, no default port.
  const target = `${origin}${trimSlashes(pathname)}`;
  const command = `${typedCommand} proxy${writeTrafficFlags({ ...flags, target })}${writeTlsFlags(flags)}`;
  const facts = { ...flags, target, canaries, command, isRecorded: flags.record !== undefined };
  const judge = await LiveJudge.start(facts, (violation) => {
    screen.note(violation);
    if (flags.bail) deadline.end('--bail');
  });
  // Keeps the heap small, since most objects are short-lived. Set only now, because starting a thread resets these flags.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=33');
  const proxied = await listen(flags, target, tls, judge, screen);
  screen.begin(`${proxied.origin}${target.slice(origin.length)}`, target);
  await waitForEnd(deadline.signal, () => {
    screen.draw(judge);
    if (flags.requests !== undefined && judge.judged >= flags.requests) deadline.end('--requests');
  });
  await proxied.close(graceMs);
  const unjudged = judge.overflow + proxied.unseen;
  const { unreachable } = screen;
  const { report, traffic } = await judge.end({ unjudged, unreachable, faults: deadline.strayErrors });
  screen.end();
  if (flags.record !== undefined)
    await writeAtomically(flags.record, renderHar(report, traffic), '--record').catch((error: unknown) =>
      process.stderr.write(`plumbline: ${messageOf(error)}\n`),
    );
  const code = await publishRun({ report, traffic }, flags);
  await recordRun(flags, report);
  return code;
}

/** Starts the proxy and passes its traffic to a judge. Throws UsageError if it cannot listen. */
function listen(flags: ProxyFlags, target: string, tls: TlsOptions, judge: LiveJudge, screen: Screen) {
  const routes = new ObservedRoutes({ baseUrl: target });
  const annotate: LiveProxyOptions['annotate'] = async (exchange) => {
    const violations = await judge.findViolations(exchange, annotatedWithinMs);
    return [...new Set(violations.map(({ requirement }) => requirement))].join(', ');
  };
  return LiveProxy.listen({
    target: new URL(target),
    host: flags.host,
    port: flags.listen,
    tls,
    isWatched: (url) => routes.below(url) !== undefined,
    onPassed: (exchange) => judge.take(exchange),
    onUnreachable: (code) => screen.noteUnreachable(describeUnreachable(new URL(target), code)),
    ...(flags.annotate ? { annotate } : {}),
  }).catch((error: unknown) => {
    throw new UsageError(describeListenFailure(flags, error));
  });
}

/** Throws UsageError if the target is the address to listen on: each request would come back until no socket is left. */
async function assertOtherAddress({ target, host, listen }: ProxyFlags): Promise<void> {
  const { protocol, port, hostname } = new URL(target);
  if (Number(port || (protocol === 'https:' ? 443 : 80)) !== listen) return;
  const [own, others] = await Promise.all([host, hostname].map(resolveAddresses));
  const local = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));
  const bound = own?.some((address) => /^[0:.]+$/.test(address)) ? local : own;
  if (others?.some((address) => bound?.includes(address)))
    throw new UsageError(
      `--target ${target} is the address that the proxy listens on. Give --listen another port; clients then use that one.`,
    );
}

/** Returns the addresses of a host; none if it has none. */
async function resolveAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

function describeUnreachable({ origin, protocol }: URL, code: string | undefined): string {
  const lost = describeLostConnection(code);
  const { text, todo } = explainConnectionError(lost, { isTls: protocol === 'https:', isProxied: false });
  return `could not reach ${origin} (${code ?? 'unknown error'}): ${text}. ${todo}`;
}

/** Resolves once the signal is aborted; calls `look` every second until then. */
async function waitForEnd(signal: AbortSignal, look: () => void): Promise<void> {
  while (!signal.aborted) {
    await sleep(tickMs, undefined, { signal }).catch(() => undefined);
    look();
  }
}

function describeListenFailure({ host, listen }: ProxyFlags, error: unknown): string {
  const code = codeOf(error);
  const where = `${host}:${listen}`;
  if (code === 'EADDRINUSE')
    return `another process listens on ${where}. Give --listen another port; 0 takes a free one.`;
  return `could not listen on ${where} (${code ?? messageOf(error)}). Give --listen a port and --host an address of this machine.`;
}

/** Shows the progress on standard error. */
class Screen {
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #counts = new Map<string, number>();
  /** Why the target could not be reached, the first time. */
  unreachable: string | undefined;
  #judgedBefore = 0;
  #isDrawn = false;

  constructor(private readonly isQuiet: boolean) {}

  begin(from: string, to: string): void {
    this.#line(`Judging what passes from ${from} to ${to}. Press Ctrl+C to stop and write the reports.`);
  }

  /** Counts a violation; prints the first of each requirement. */
  note({ requirement, message }: LiveViolation): void {
    const count = (this.#counts.get(requirement) ?? 0) + 1;
    this.#counts.set(requirement, count);
    if (count === 1) this.#line(`violation of ${requirement}: ${sanitizeLine(message)}`);
  }

  noteUnreachable(why: string): void {
    if (this.unreachable === undefined) this.#line(`${why}.`);
    this.unreachable ??= why;
  }

  draw({ judged, overflow, seen }: LiveJudge): void {
    if (!this.#isTerminal || this.isQuiet) return;
    const perSecond = Math.round((judged - this.#judgedBefore) / (tickMs / 1_000));
    this.#judgedBefore = judged;
    const violations = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const parts = [
      `${formatCount(judged, 'exchange')} judged (${perSecond}/s)`,
      `${formatCount(seen, 'requirement')} seen`,
      `${formatCount(violations, 'violation')} of ${formatCount(this.#counts.size, 'requirement')}`,
      ...(overflow > 0 ? [`${overflow} passed unjudged`] : []),
    ];
    this.#clear();
    process.stderr.write(parts.join(', '));
    this.#isDrawn = true;
  }

  end(): void {
    for (const [requirement, count] of this.#counts)
      if (count > 1) this.#line(`${requirement} was violated ${count} times`);
    this.#clear();
  }

  #line(text: string): void {
    if (this.isQuiet) return;
    this.#clear();
    process.stderr.write(`${text}\n`);
  }

  #clear(): void {
    if (this.#isDrawn) process.stderr.write('\r\u001b[2K');
    this.#isDrawn = false;
  }
}
