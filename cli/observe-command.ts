import type { RequirementId } from '../spec/ledger.js';

/** The command line that judges recordings for one requirement again. */
export function observeCommand(given: {
  readonly files: readonly string[];
  readonly only: RequirementId;
  readonly target?: string | undefined;
  readonly inferencePath?: string | undefined;
  readonly canaryFile?: string | undefined;
}): string {
  const { files, only, target, inferencePath, canaryFile } = given;
  const flags = [
    ['--target', target],
    ['--inference-path', inferencePath],
    ['--canary-file', canaryFile],
    ['--only', only],
  ].flatMap(([flag = '', value]) => (value === undefined ? [] : [flag, quoted(value)]));
  return ['plumbline observe', ...flags, ...files.map(quoted)].join(' ');
}

/** A word as a shell takes it whole. */
function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
