import { existsSync } from 'node:fs';
import { UsageError } from '../spec/thrown.js';

/** The profile that a command takes where it is told of no target. */
const usualProfile = 'plumbline.yaml';

/** What a command line says of its target. */
export interface TargetFlags {
  readonly target?: string | undefined;
  readonly control?: string | undefined;
  readonly controlToken?: string | undefined;
  readonly profile?: string | undefined;
  /** Whether the embedded reference server is meant. */
  readonly reference?: boolean | undefined;
}

/**
 * Chooses what a command judges: what its flags name, else plumbline.yaml in the working directory, which it announces
 * on standard error. Throws UsageError where there is neither, or where the flags contradict one another.
 * @param url the address that `run` takes as its argument
 */
export function chooseTarget<Flags extends TargetFlags>(
  command: 'run' | 'plan' | 'doctor' | 'clean',
  flags: Flags,
  url?: string,
): Flags {
  assertNoEmptyVariable(flags);
  const { target = url, control, profile } = flags;
  if (url !== undefined && url !== target)
    throw new UsageError(`the target is given twice, as ${url} and as --target ${target}. Give it once.`);
  const isNamed = target !== undefined || control !== undefined || profile !== undefined;
  if (flags.reference === true) {
    if (!isNamed) return flags;
    throw new UsageError(
      '--reference judges the embedded server and goes with no other target. Leave --reference out, or the target.',
    );
  }
  if (isNamed) return { ...flags, target };
  if (!existsSync(usualProfile)) throw new UsageError(waysToName[command]);
  process.stderr.write(`No target given: using ${usualProfile} in this folder.\n`);
  return { ...flags, profile: usualProfile };
}

const writeProfile = `plumbline init                writes ${usualProfile}, for you to fill in`;

const waysToName = {
  run: [
    `no target given, and no ${usualProfile} in this folder. Name one: a URL, --control URL or --profile FILE. Or type:`,
    `  ${writeProfile}`,
    '  plumbline run --reference     judges the embedded reference server, to see what a run looks like',
  ].join('\n'),
  plan: [
    `no target given, and no ${usualProfile} in this folder. Name one: a URL or --profile FILE. Or type:`,
    `  ${writeProfile}`,
    '  plumbline plan --reference    says what a run of the embedded reference server would send',
  ].join('\n'),
  clean: [
    `no target given, and no ${usualProfile} in this folder. Name that of the run: --control URL or --profile FILE.`,
  ].join('\n'),
  doctor: [
    `no target given, and no ${usualProfile} in this folder. Name one: a URL or --profile FILE. Or type:`,
    `  ${writeProfile}`,
  ].join('\n'),
};

/** An empty variable is one that somebody meant to fill: taken for none, it could turn a gate green. */
function assertNoEmptyVariable(flags: TargetFlags): void {
  const isTokenMeant = flags.control !== undefined && flags.controlToken === undefined;
  const empty = Object.keys(process.env).filter(
    (name) =>
      process.env[name]?.trim() === '' &&
      (name.startsWith('PLUMBLINE_KEY_') || (name === 'PLUMBLINE_CONTROL_TOKEN' && isTokenMeant)),
  );
  if (empty.length === 0) return;
  const [are, them] = empty.length === 1 ? ['is', 'it'] : ['are', 'them'];
  throw new UsageError(
    `${empty.join(', ')} ${are} set but empty, most often because the secret behind ${them} is missing. Set ${them}, or unset ${them}.`,
  );
}
