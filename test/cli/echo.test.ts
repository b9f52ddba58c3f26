import { describe, expect, it } from 'vitest';
import type { Call } from '../../reference/behaviour.js';
import type { Report } from '../../spec/report.js';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { type EchoAttack, echoAttack } from './echo-attack.js';
import { readReport, start } from './plumbline-process.js';
import { byRequest, startDeployment, startProfiled } from './profile-deployment.js';
import { expectNoSecret, readWritten } from './secret-search.js';

const controlToken = 'control-token-4b1f0c77d2e95a38';
// A run against a server that echoes in every answer takes long.
const atMostMs = 85_000;
const gate = 'opens-the-gateway/of+staging=4711-0815';

/** The result of a run: its exit code, its verdict and the failed requirements that decide it. */
interface EchoResult {
  readonly code: number | null;
  readonly verdict: string;
  readonly failed: readonly string[];
}

/** What a server echoes: keys and other known secrets, or stored values too. */
type Repeats = 'keys' | 'stored values';

/** A way to judge a server, with flags. */
type JudgeEcho = (repeats: Repeats, flags: string) => Promise<EchoResult>;

/** The values that are stored in the world of a call. */
function storedValues({ key }: Call): readonly string[] {
  return Object.values(key?.world.secrets ?? {}).flatMap((secrets) => [...secrets.values()].slice(0, 2));
}

/** Judges through the control protocol and searches everything that was written. */
const throughControl: JudgeEcho = async (repeats, flags) => {
  const attack = attackOf(repeats, controlToken);
  const { controlUrl } = await serveReference({ controlToken, behaviour: attack.behaviour });
  const directory = folder();
  const args = `run --control ${controlUrl} --control-token ${controlToken} --report ${directory}`;
  const ended = await start(`${args} ${flags}`, { everyFormat: true, atMostMs }).ended;
  expectNoSecret(readWritten(directory, ended), [...attack.echoed, controlToken]);
  return summarize(ended.code, readReport(directory));
};

/** Judges through a profile with an extra header and searches everything that was written. */
const throughProfile: JudgeEcho = async (repeats, flags) => {
  const attack = attackOf(repeats, gate);
  const deployed = await startDeployment({ behaviour: attack.behaviour });
  const profile = { store: byRequest, headers: { 'X-Gate': gate } };
  const { directory, ended } = startProfiled(deployed, { profile, flags, atMostMs });
  const { code, ...output } = await ended;
  expectNoSecret(readWritten(directory, output), [...attack.echoed, gate]);
  return summarize(code, readReport(directory));
};

function attackOf(repeats: Repeats, known: string): EchoAttack {
  return echoAttack((call) => [known, ...(repeats === 'keys' ? [] : storedValues(call))]);
}

function summarize(code: number | null, report: Report): EchoResult {
  const failed = report.requirements.filter(({ status, level }) => status === 'fail' && level !== 'advisory');
  return { code, verdict: report.verdict, failed: failed.map(({ id }) => id) };
}

const quick = '--depth quick --seed 4711';

// Thirteen encodings of every secret, in each of its answers.
describe.concurrent('a server that echoes secrets in thirteen encodings', { timeout: 90_000 }, () => {
  it.each([
    [
      'through the control protocol',
      throughControl,
      `${quick} --max-requests 5000 --only {auth,key-info,secrecy}.*`,
      { code: 0, verdict: 'conformant', failed: [] },
    ],
    [
      'through the control protocol, by streams and the checks that depth quick leaves out',
      throughControl,
      '--depth standard --seed 4711 --cases 2 --only {stream-error,secrecy}.*',
      { code: 0, verdict: 'conformant', failed: [] },
    ],
    [
      'through a profile',
      throughProfile,
      `${quick} --max-requests 5000 --only {vault-delete.404,guardrail-read,secrecy}.*`,
      { code: 4, verdict: 'incomplete', failed: [] },
    ],
  ] as const)(
    '%s, a server that echoes keys gets its usual verdict, and no output contains a key',
    async (_way, judgeEcho, flags, plain) => {
      expect(await judgeEcho('keys', flags)).toEqual(plain);
    },
  );

  it('a server that also echoes stored values fails only secrecy through the control protocol', async () => {
    const only = '--only {vault-delete.204,guardrail-read.404,secrecy}.*';
    const { code, failed } = await throughControl('stored values', `${quick} ${only} --max-requests 250`);
    expect(code).toBe(1);
    expect(failed.filter((id) => !id.startsWith('secrecy.'))).toEqual([]);
    expect(failed).toContain('secrecy.header');
  });
});
