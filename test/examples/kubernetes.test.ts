import { dirname, join } from 'node:path';
import { CronJob, type ICronJob, type IJob, Job } from 'kubernetes-models/batch/v1';
import { describe, expect, it } from 'vitest';
import { behaveAsMutant } from '../behaviours.js';
import { readReport, sharedCommand } from '../cli/plumbline-process.js';
import { folder } from '../folders.js';
import { runProgram } from '../run-program.js';
import { serveReference } from '../servers.js';
import { parseYaml, readCheckoutFile, readYamlFile } from './example-files.js';

const command = sharedCommand();
const files = ['cronjob', 'indexed-job'].map((name) => `examples/kubernetes/${name}.yaml`);
const manifests = files.flatMap(readYamlFile) as readonly (IJob | ICronJob)[];
const kinds = { Job, CronJob };

function findPod(manifest: IJob | ICronJob) {
  const job = manifest.kind === 'Job' ? manifest.spec : manifest.spec?.jobTemplate.spec;
  const pod = job?.template.spec;
  const container = pod?.containers[0];
  if (job === undefined || !pod || !container) throw new Error(`${manifest.kind} has no pod.`);
  return { job, pod, container };
}

/** Returns the paths of the members that a validator never reads, since it does not know them. */
function findUnreadMembers(value: object, read: (watched: object) => void): readonly string[] {
  const seen = new Set<string>();
  read(watch(value, '', seen));
  return listPaths(value, '').filter((path) => !seen.has(path));
}

function watch<Value extends object>(value: Value, path: string, seen: Set<string>): Value {
  return new Proxy(value, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return member;
      const place = `${path}/${key}`;
      seen.add(place);
      return isObject(member) ? watch(member, place, seen) : member;
    },
  });
}

function listPaths(value: object, path: string): readonly string[] {
  return Object.entries(value).flatMap(([key, member]) => {
    const place = `${path}/${key}`;
    return [place, ...(isObject(member) ? listPaths(member, place) : [])];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

describe.each(manifests)('$metadata.name', (manifest) => {
  it('the manifest matches the schema of Kubernetes and has no unknown member', () => {
    const read = (watched: object) => kinds[manifest.kind].prototype.validate.call(watched as never);
    expect(findUnreadMembers(manifest, read)).toEqual([]);
    const misspelt = { ...manifest, spec: { ...manifest.spec, backofLimit: 0 } };
    expect(findUnreadMembers(misspelt, read)).toEqual(['/spec/backofLimit']);
  });

  it('the pod runs without privileges, on a read-only file system, and for a limited time', () => {
    const { job, pod, container } = findPod(manifest);
    const seccompProfile = { type: 'RuntimeDefault' };
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile });
    const capabilities = { drop: ['ALL'] };
    const least = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities };
    expect(container.securityContext).toEqual(least);
    expect(pod).toMatchObject({ restartPolicy: 'Never', automountServiceAccountToken: false });
    expect(job.backoffLimit ?? job.backoffLimitPerIndex).toBe(0);
    expect(job.activeDeadlineSeconds).toBeGreaterThan(0);
    expect(container.resources?.requests).toMatchObject({ cpu: expect.any(String) });
    expect(container.resources?.limits).toMatchObject({ memory: expect.any(String) });
  });
});

/** Runs the command of a container with the test's folders in place of /app and /reports; resolves with its exit code. */
async function runContainer(
  manifest: IJob | ICronJob,
  reports: string,
  env: Readonly<Record<string, string>>,
): Promise<number | null> {
  const { container } = findPod(manifest);
  const [program = '', ...args] = [...(container.command ?? []), ...(container.args ?? [])].map((word) =>
    word
      .replaceAll('/app/dist/cli/plumbline.js', command)
      .replaceAll('"/reports', `"${reports}`)
      .replaceAll(' /reports', ` ${reports}`)
      // Few requirements, since these tests are about how the parts work together.
      .replace('--max-time 600', '--only key-info.* --cases 1'),
  );
  const given = (container.env ?? []).map(({ name, value }) => [name, value ?? '']);
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const { code } = await runProgram(program, args, { env: { PATH, ...Object.fromEntries(given), ...env } });
  return code;
}

it('the loop that waits for a Job reads the exit code of the container of the manifests', () => {
  const [, name] = readCheckoutFile('examples/kubernetes/wait-for-job.sh').match(/@\.name=="(\w+)"/) ?? [];
  expect(manifests.map((manifest) => findPod(manifest).container.name)).toEqual([name, name, name]);
});

it('a nightly run that takes longer than a day does not overlap with the next', () => {
  const [cronJob] = readYamlFile('examples/kubernetes/cronjob.yaml') as readonly [ICronJob];
  expect(cronJob.spec?.concurrencyPolicy).toBe('Forbid');
});

const judging = manifests.filter(({ metadata }) => metadata?.name !== 'plumbline-merge-RUN-ID');
it.each(judging)(
  'the container of $metadata.name ends with 2 if STAGING_CONTROL is empty',
  async (manifest) => {
    const env = { STAGING_CONTROL: '', JOB_COMPLETION_INDEX: '0' };
    expect(await runContainer(manifest, folder(), env)).toBe(2);
  },
);

it('the containers run three shards of one run, and a merge that waits for them', async () => {
  // Only one check, and so one shard, finds its violation.
  const behaviour = behaveAsMutant('key-info.used-up-keeps-a-credit');
  const { controlUrl } = await serveReference({ behaviour });
  const text = readCheckoutFile('examples/kubernetes/indexed-job.yaml').replaceAll('RUN-ID', '4711');
  const [shards, merge] = parseYaml(text) as readonly [IJob, IJob];
  const reports = folder();
  const merged = runContainer(merge, reports, {});
  const codes = await Promise.all(
    Array.from({ length: shards.spec?.completions ?? 0 }, (_, index) =>
      runContainer(shards, reports, { STAGING_CONTROL: controlUrl, JOB_COMPLETION_INDEX: String(index) }),
    ),
  );
  expect(codes.toSorted()).toEqual([0, 0, 1]);
  expect(await merged).toBe(1);
  const { verdict, run } = readReport(join(reports, '4711', 'merged'));
  expect([verdict, run.group, run.shard]).toEqual(['non-conformant', '4711', '1/1']);
});

it('the nightly container writes into a folder named after the day, and appends to the history', async () => {
  const { controlUrl } = await serveReference();
  const reports = folder();
  const [cronJob] = readYamlFile('examples/kubernetes/cronjob.yaml') as readonly [ICronJob];
  expect(await runContainer(cronJob, reports, { STAGING_CONTROL: controlUrl })).toBe(0);
  const day = new Date().toISOString().slice(0, 10);
  expect(readReport(join(reports, day)).verdict).toBe('conformant');
});
