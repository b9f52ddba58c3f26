import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { installProgram } from '../folders.js';
import { runScript } from './run-script.js';

const script = fileURLToPath(new URL('../../examples/kubernetes/wait-for-job.sh', import.meta.url));

/** What kubectl prints for the conditions of the Job, and for its pods: one answer per call, then the last again. */
interface Cluster {
  readonly job: readonly string[];
  readonly pods?: readonly string[];
}

/** An answer that is no text: the call fails. */
const unreachable = 'unreachable';

/** The stub counts its calls, and answers each with the file of its number, else with the last one. */
const stub = `#!/bin/sh
here=$(dirname "$0")
printf '%s\\n' "$*" >>"$here/calls"
case $2 in job/*) what=job ;; *) what=$2 ;; esac
count=$(($(cat "$here/$what.count" 2>/dev/null || echo 0) + 1))
echo "$count" >"$here/$what.count"
answer=$here/$what.$count
[ -f "$answer" ] || answer=$here/$what.last
if [ "$(cat "$answer")" = ${unreachable} ]; then
  echo 'The connection to the server was refused' >&2
  exit 1
fi
cat "$answer"
`;

async function wait({ job, pods = [''] }: Cluster, args = 'merge 20') {
  const bin = installProgram('kubectl', stub);
  for (const [what, answers] of Object.entries({ job, pods })) {
    for (const [index, answer] of answers.entries()) writeFileSync(join(bin, `${what}.${index + 1}`), answer);
    writeFileSync(join(bin, `${what}.last`), answers.at(-1) ?? '');
  }
  const PATH = `${bin}:${process.env.PATH}`;
  const ended = await runScript(`sh "${script}" ${args}`, { cwd: bin, env: { PATH, INTERVAL: '0.02' } });
  return { ...ended, calls: () => readFileSync(join(bin, 'calls'), 'utf8').trimEnd().split('\n') };
}

const running = 'merge ';
const failed = 'merge FailureTarget Failed ';

it('the loop that waits for a Job ends with 0 once the Job is complete, and not before', async () => {
  const { code, log, calls } = await wait({
    job: [running, 'merge Suspended ', 'merge SuccessCriteriaMet ', 'merge SuccessCriteriaMet Complete '],
  });
  expect([code, log, calls().length]).toEqual([0, '', 4]);
});

it.each([1, 4, 130])('the loop that waits for a Job ends with %i if its pod failed so', async (exit) => {
  const job = [running, 'merge FailureTarget ', failed];
  const { code, log } = await wait({ job, pods: [`Failed ${exit}\n`] });
  expect([code, log]).toEqual([exit, `wait-for-job: the Job merge failed with exit code ${exit}.\n`]);
});

it('the loop that waits for a Job waits for the exit code of a pod that is still being stopped', async () => {
  const { code } = await wait({ job: [failed], pods: ['Running \n', 'Running \n', 'Failed 130\n'] });
  expect(code).toBe(130);
});

it.each([
  ['gone', ''],
  ['evicted before it had an exit code', 'Failed \n'],
  ['said to have succeeded', 'Succeeded 0\n'],
])('the loop that waits for a Job ends with 3 if the pod of a failed Job is %s', async (_what, pods) => {
  const { code, log } = await wait({ job: [failed], pods: [pods] });
  expect([code, log]).toEqual([3, expect.stringContaining('its pod is gone or has no exit code')]);
});

it('the loop that waits for a Job ends with 3 if there is no such Job', async () => {
  const { code, log } = await wait({ job: [running, ''] });
  expect([code, log]).toEqual([3, expect.stringContaining('could not find the Job merge')]);
});

it('the loop that waits for a Job retries a call that fails, of either kind', async () => {
  const { code, log } = await wait({
    job: [unreachable, running, unreachable, unreachable, failed],
    pods: [unreachable, 'Failed 1\n'],
  });
  expect([code, log.match(/was refused/g)?.length]).toEqual([1, 4]);
});

it.each([
  ['the Job does not end', [running]],
  ['no call succeeds', [unreachable]],
])('the loop that waits for a Job ends with 3 at its time limit while %s', async (_what, job) => {
  const { code, log } = await wait({ job }, 'merge 1');
  expect([code, log]).toEqual([3, expect.stringContaining('the Job merge did not end within 1 seconds.\n')]);
});

it('the loop that waits for a Job passes further flags to kubectl, and limits the time of each call', async () => {
  const { calls } = await wait({ job: [failed], pods: ['Failed 1\n'] }, 'merge 20 --namespace staging');
  for (const call of calls()) expect(call).toMatch(/ --request-timeout 10s .* --namespace staging$/);
  expect(calls()[1]).toContain('--selector batch.kubernetes.io/job-name=merge ');
});

it.each([
  ['', 'missing the name of the Job'],
  ['"" 20', 'missing the name of the Job'],
  ['merge soon', 'SECONDS must be a whole number'],
  ['merge ""', 'SECONDS must be a whole number'],
])('the loop that waits for a Job refuses the arguments %j with 2', async (args, words) => {
  const { code, log } = await wait({ job: [running] }, args);
  expect([code, log]).toEqual([2, expect.stringContaining(words)]);
});
