import { describe, expect, it } from 'vitest';
import type { Call } from '../../reference/behaviour.js';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { echoAttack } from './echo-attack.js';
import { readReport, start } from './plumbline-process.js';
import { expectNoSecret, readWritten } from './secret-search.js';

const controlToken = 'control-token-4b1f0c77d2e95a38';
// A run against a server that echoes in every answer takes long.
const atMostMs = 85_000;

/** The values that are stored in the world of a call. */
function storedValues({ key }: Call): readonly string[] {
  return Object.values(key?.world.secrets ?? {}).flatMap((secrets) => [...secrets.values()].slice(0, 2));
}

/** Judges through the control protocol and searches everything that was written. */
async function judgeEcho(repeats: 'keys' | 'stored values', flags: string) {
  const attack = echoAttack((call) => [controlToken, ...(repeats === 'keys' ? [] : storedValues(call))]);
  const { controlUrl } = await serveReference({ controlToken, behaviour: attack.behaviour });
  const directory = folder();
  const args = `run --control ${controlUrl} --control-token ${controlToken} --report ${directory}`;
  const ended = await start(`${args} ${flags}`, { everyFormat: true, atMostMs }).ended;
  expectNoSecret(readWritten(directory, ended), [...attack.echoed, controlToken]);
  const { verdict, requirements } = readReport(directory);
  const failed = requirements.filter(({ status, level }) => status === 'fail' && level !== 'advisory');
  return { code: ended.code, verdict, failed: failed.map(({ id }) => id) };
}

const quick = '--depth quick --seed 4711';

// Thirteen encodings of every secret, in each of its answers.
describe.concurrent('a server that echoes secrets in thirteen encodings', { timeout: 90_000 }, () => {
  it.each([
    ['in bodies and headers', `${quick} --max-requests 5000 --only {auth,key-info,secrecy}.*`],
    [
      'in streams and in what depth quick leaves out',
      '--depth standard --seed 4711 --cases 2 --only {stream-error,secrecy}.*',
    ],
  ])(
    'a server that echoes keys %s gets its usual verdict, and no output contains a key',
    async (_where, flags) => {
      expect(await judgeEcho('keys', flags)).toEqual({ code: 0, verdict: 'conformant', failed: [] });
    },
  );

  it('a server that also echoes stored values fails only secrecy', async () => {
    const only = '--only {vault-delete.204,guardrail-read.404,secrecy}.*';
    const { code, failed } = await judgeEcho('stored values', `${quick} ${only} --max-requests 250`);
    expect(code).toBe(1);
    expect(failed.filter((id) => !id.startsWith('secrecy.'))).toEqual([]);
    expect(failed).toContain('secrecy.header');
  });
});
