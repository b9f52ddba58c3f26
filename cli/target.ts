import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { quoteForShell } from '../spec/command-line.js';
import { readFileBytes } from '../spec/read-file.js';
import { UsageError } from '../spec/thrown.js';
import type { TlsOptions } from '../targets/agents.js';
import type { ControlAddress } from '../targets/control-client.js';
import { assertNoEmptyVariable } from '../targets/profile/given-values.js';
import { mostTlsBytes } from '../targets/profile/profile.js';
import type { RunFlags, TlsFlags } from './flags.js';

/** The profile that a command uses if no target is given. */
const defaultProfile = 'plumbline.yaml';

/** The flags that name a target. */
export type TargetFlags = Partial<
  Pick<RunFlags, 'target' | 'control' | 'controlToken' | 'profile' | 'reference'>
>;

/** Chooses what a command judges: what its flags name, else plumbline.yaml here, announced. Throws UsageError. */
export function chooseTarget<Flags extends TargetFlags>(
  command: keyof typeof waysToName,
  flags: Flags,
  url?: string,
): Flags {
  assertNoEmptyVariable(process.env, flags.control !== undefined && flags.controlToken === undefined);
  const { target = url, control, profile } = flags;
  if (url !== undefined && url !== target)
    throw new UsageError(`the target is given twice, as ${url} and as --target ${target}. Give it once.`);
  const isNamed = target !== undefined || control !== undefined || profile !== undefined;
  if (flags.reference === true) {
    if (!isNamed) return flags;
    throw new UsageError(
      '--reference judges the embedded server and cannot be combined with another target. Remove one of them.',
    );
  }
  if (isNamed) return { ...flags, target };
  if (!existsSync(defaultProfile))
    throw new UsageError(
      `no target given, and no ${defaultProfile} in this folder. ${waysToName[command].join('\n')}`,
    );
  process.stderr.write(`No target given: using ${defaultProfile} in this folder.\n`);
  return { ...flags, profile: defaultProfile };
}

const initStep = `  plumbline init                writes ${defaultProfile}, for you to fill in`;

const waysToName = {
  run: [
    'Give a URL, --control URL or --profile FILE. Or type:',
    initStep,
    '  plumbline run --reference     judges the embedded reference server, to show what a run looks like',
  ],
  plan: [
    'Give a URL or --profile FILE. Or type:',
    initStep,
    '  plumbline plan --reference    shows what a run against the embedded reference server would send',
  ],
  doctor: ['Give a URL or --profile FILE. Or type:', initStep],
  clean: ["Give the run's --control URL or --profile FILE."],
} as const;

/** Returns the control protocol that flags name. The environment keeps its token out of the list of processes. */
export function findControl({ control, controlToken }: TargetFlags): ControlAddress | undefined {
  const token = controlToken ?? process.env.PLUMBLINE_CONTROL_TOKEN;
  return control === undefined ? undefined : { url: control, token };
}

/** Writes the flags again, for a command line that reproduces something. */
export function writeTlsFlags({ cacert, insecure }: TlsFlags): string {
  return `${cacert === undefined ? '' : ` --cacert ${quoteForShell(cacert)}`}${insecure ? ' --insecure' : ''}`;
}

/** Reads the certificates to trust. Throws UsageError. */
export async function readTlsFlags({ cacert, insecure }: TlsFlags): Promise<TlsOptions> {
  if (cacert === undefined) return insecure ? { insecure } : {};
  if (insecure) throw new UsageError('--cacert and --insecure cannot be combined. Remove one of them.');
  const refuse = (why: string) => new UsageError(`--cacert: ${cacert} ${why}.`);
  const ca = await readFileBytes(cacert, mostTlsBytes, refuse);
  if (!ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new UsageError(`--cacert: ${cacert} contains no PEM certificate. Give a file that does.`);
  return { ca };
}

/** The reference server that `run --reference` judges. */
export interface Embedded extends AsyncDisposable {
  /** The URL of its control protocol, once it listens. */
  readonly controlUrl: Promise<string>;
}

/** Starts the reference server on its own thread while modules load, so that judging and answering share no core. */
export function startEmbedded(): Embedded {
  const worker = new Worker(new URL('../reference/worker.js', import.meta.url));
  const controlUrl = Promise.race([once(worker, 'message'), once(worker, 'exit')]).then(([message]) => {
    const { controlUrl } = Object(message) as { readonly controlUrl?: string };
    if (controlUrl === undefined) throw new Error('the embedded reference server ended before it listened.');
    return controlUrl;
  });
  // Until it is awaited, the error must not count as uncaught.
  controlUrl.catch(() => undefined);
  return {
    controlUrl,
    [Symbol.asyncDispose]: async () => {
      await worker.terminate();
    },
  };
}
