import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import picomatch from 'picomatch';
import { readCheckoutFile } from '../examples/example-files.js';
import { root } from '../folders.js';

/** A stage of a Dockerfile, built in a folder of this machine; the last one is the image. */
export interface Stage {
  /** What would be `/` in the image. */
  readonly folder: string;
  workdir: string;
  readonly env: Record<string, string>;
  user: string;
  /** What a container runs, with the paths of this machine. */
  entrypoint: readonly string[];
}

export function readInstructions(path: string): readonly (readonly [word: string, text: string])[] {
  const text = readCheckoutFile(path)
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '');
  return [...text.matchAll(/^(\w+) +(.+)$/gm)].map(([, word = '', rest = '']) => [word, rest]);
}

/**
 * Executes the steps of a Dockerfile in folders below the given one, with the programs of this machine, so that no engine is
 * needed. Throws on an unknown instruction, and if a step fails.
 */
export function buildBySteps(path: string, below: string): Stage {
  const stages = new Map<string, Stage>();
  const isSent = makeIgnoreFilter(`${path}.dockerignore`);
  let stage: Stage = { folder: below, workdir: '/', env: {}, user: 'root', entrypoint: [] };
  for (const [word, text] of readInstructions(path)) {
    if (word === 'FROM') {
      const name = / AS (\w+)$/.exec(text)?.[1] ?? 'last';
      stage = { ...stage, folder: join(below, name), workdir: '/', env: {} };
      mkdirSync(stage.folder, { recursive: true });
      stages.set(name, stage);
    } else execute(word, text, stage, { stages, isSent });
  }
  return stage;
}

interface Build {
  readonly stages: ReadonlyMap<string, Stage>;
  readonly isSent: (path: string) => boolean;
}

function execute(word: string, text: string, stage: Stage, build: Build): void {
  switch (word) {
    case 'WORKDIR':
      stage.workdir = text;
      mkdirSync(join(stage.folder, text), { recursive: true });
      return;
    case 'ENV':
      for (const [, name = '', value = ''] of text.matchAll(/(\w+)=(\S*)/g)) stage.env[name] = value;
      return;
    case 'USER':
      stage.user = text;
      return;
    case 'COPY':
      copy(text.split(' '), stage, build);
      return;
    case 'RUN':
      runCommand(text, stage);
      return;
    case 'ENTRYPOINT': {
      const words = JSON.parse(text) as readonly string[];
      stage.entrypoint = words.map((one) => (one.startsWith('/') ? join(stage.folder, one) : one));
      return;
    }
    // Without effect here.
    case 'ARG':
    case 'LABEL':
      return;
    default:
      throw new Error(`The instruction ${word} is unknown. Add it to dockerfile-steps.ts.`);
  }
}

function copy(words: readonly string[], stage: Stage, { stages, isSent }: Build): void {
  const [, from] = /^--from=(\w+)$/.exec(words[0] ?? '') ?? [];
  const source = from === undefined ? undefined : stages.get(from);
  if (source === undefined && from !== undefined) throw new Error(`There is no stage ${from}.`);
  const to = words.at(-1) ?? '';
  for (const word of words.slice(from === undefined ? 0 : 1, -1)) {
    const place = join(source?.folder ?? root, word);
    const goal = join(stage.folder, to.startsWith('/') ? to : join(stage.workdir, to));
    // A folder's content is copied into the folder that is named, a file into it under its own name.
    const target = statSync(place).isDirectory() || !to.endsWith('/') ? goal : join(goal, basename(word));
    const isTaken = (path: string) => isSent(path.slice(root.length));
    if (source === undefined && !isTaken(place)) throw new Error(`${word} is not sent to the builder.`);
    mkdirSync(dirname(target), { recursive: true });
    // A finished stage is no longer needed, and moving its thousands of files is faster than copying them.
    if (source !== undefined) renameSync(place, target);
    else cpSync(place, target, { recursive: true, filter: isTaken });
  }
}

/** Parses .dockerignore: the last line that matches a path, or a folder above it, decides whether it is sent. */
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

// Keeps the registry and the cache that npm is configured with.
function pickEnvironment(): NodeJS.ProcessEnv {
  const kept = /^(?:PATH|HOME|HTTPS?_PROXY|NO_PROXY|npm_config_(?:registry|cache|userconfig))$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)));
}

/** Makes the folders below one read-only, or writable for their owner. */
export function setReadOnly(folder: string, isReadOnly: boolean): void {
  const mode = isReadOnly ? 0o555 : 0o755;
  chmodSync(folder, mode);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), mode);
}
