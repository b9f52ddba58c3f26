import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Copy, DockerfileParser, type Entrypoint, type From, type Instruction } from 'dockerfile-ast';
import picomatch from 'picomatch';
import { readCheckoutFile } from '../examples/example-files.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A stage of a Dockerfile, as it stands in a folder. */
interface Stage {
  /** What would be `/` in the image. */
  readonly folder: string;
  /** The folder that commands run in, as the image knows it. */
  workdir: string;
  readonly env: Record<string, string>;
  user: string;
  entrypoint: readonly string[];
}

/** The image that a Dockerfile makes, in a folder of this machine. */
export interface Image extends Readonly<Omit<Stage, 'entrypoint'>> {
  /** What a container runs, with the paths of this machine. */
  readonly entrypoint: readonly string[];
}

/**
 * Does what the steps of a Dockerfile do, in folders below the given one and with the programs of this machine: there
 * may be no engine to do it. Throws on an instruction that it does not know, and where a step fails.
 */
export function buildBySteps(path: string, below: string): Image {
  const stages = new Map<string, Stage>();
  const isSent = makeIgnoreFilter(`${path}.dockerignore`);
  let stage: Stage | undefined;
  for (const instruction of DockerfileParser.parse(readCheckoutFile(path)).getInstructions()) {
    const word = instruction.getKeyword();
    if (word === 'ARG') continue;
    if (word === 'FROM') {
      const name = (instruction as From).getBuildStage() ?? 'last';
      const folder = join(below, name);
      mkdirSync(folder, { recursive: true });
      stage = { folder, workdir: '/', env: {}, user: 'root', entrypoint: [] };
      stages.set(name, stage);
      continue;
    }
    if (stage === undefined) throw new Error(`${word} stands before FROM.`);
    take(instruction, stage, { stages, isSent });
  }
  if (stage === undefined) throw new Error(`${path} has no stage.`);
  const { folder, entrypoint } = stage;
  return {
    ...stage,
    entrypoint: entrypoint.map((word) => (word.startsWith('/') ? join(folder, word) : word)),
  };
}

interface Build {
  readonly stages: ReadonlyMap<string, Stage>;
  readonly isSent: (path: string) => boolean;
}

function take(instruction: Instruction, stage: Stage, build: Build): void {
  const word = instruction.getKeyword();
  const text = instruction.getArgumentsContent() ?? '';
  switch (word) {
    case 'WORKDIR':
      stage.workdir = text;
      mkdirSync(join(stage.folder, text), { recursive: true });
      return;
    case 'ENV':
      for (const { name, value } of assignments(instruction)) stage.env[name] = value;
      return;
    case 'USER':
      stage.user = text;
      return;
    case 'COPY':
      copy(instruction as Copy, stage, build);
      return;
    case 'RUN':
      runCommand(text, stage);
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = jsonWords(instruction as Entrypoint);
      return;
    // It says what the image is, and does nothing.
    case 'LABEL':
      return;
    default:
      throw new Error(`What ${word} does is not known here: add it to dockerfile-steps.ts.`);
  }
}

function assignments(instruction: Instruction): readonly { readonly name: string; readonly value: string }[] {
  return instruction.getArguments().map((argument) => {
    const [name = '', value = ''] = argument.getValue().split('=');
    return { name, value };
  });
}

function jsonWords(instruction: Entrypoint): readonly string[] {
  return instruction.getJSONStrings().map((argument) => argument.getJSONValue());
}

function copy(instruction: Copy, stage: Stage, { stages, isSent }: Build): void {
  const words = instruction.getArguments().map((argument) => argument.getValue());
  const to = words.at(-1) ?? '';
  const from = instruction.getFromFlag()?.getValue();
  const source = from === undefined || from === null ? undefined : stages.get(from);
  if (source === undefined && from) throw new Error(`There is no stage ${from}.`);
  for (const word of words.slice(0, -1)) {
    const place = join(source?.folder ?? root, word);
    const goal = join(stage.folder, to.startsWith('/') ? to : join(stage.workdir, to));
    // A folder's content is copied into the folder that is named, a file into it under its own name.
    const target = statSync(place).isDirectory() || !to.endsWith('/') ? goal : join(goal, basename(word));
    const isTaken = (path: string) => isSent(path.slice(root.length));
    if (source === undefined && !isTaken(place)) throw new Error(`${word} is not sent to the builder.`);
    mkdirSync(dirname(target), { recursive: true });
    // Thousands of files of a stage that is done with are moved faster than copied.
    if (source !== undefined) renameSync(place, target);
    else cpSync(place, target, { recursive: true, filter: isTaken });
  }
}

/** What .dockerignore leaves of the checkout: the last line that fits a path, or a folder above it, decides. */
function makeIgnoreFilter(path: string): (path: string) => boolean {
  const lines = readCheckoutFile(path)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const rules = lines.map((line) => {
    const glob = line.replace(/^!/, '');
    return { fits: picomatch([glob, `${glob}/**`], { dot: true }), isSent: line.startsWith('!') };
  });
  return (file) => rules.findLast(({ fits }) => fits(file))?.isSent ?? true;
}

function runCommand(command: string, { folder, workdir, env }: Stage): void {
  const { status, stderr } = spawnSync('sh', ['-c', command], {
    cwd: join(folder, workdir),
    env: { ...pickEnvironment(), ...env },
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (status !== 0) throw new Error(`RUN ${command} ended with ${status}: ${stderr}`);
}

// npm's own settings of the one who runs the tests hold here too: which registry, which cache.
function pickEnvironment(): NodeJS.ProcessEnv {
  const kept = /^(?:PATH|HOME|HTTPS?_PROXY|NO_PROXY|npm_config_(?:registry|cache|userconfig))$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)));
}

/** Lets nobody write into the folders below one, or lets their owner. */
export function setReadOnly(folder: string, isReadOnly: boolean): void {
  const mode = isReadOnly ? 0o555 : 0o755;
  chmodSync(folder, mode);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), mode);
}
