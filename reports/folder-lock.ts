import { randomUUID } from 'node:crypto';
import {
  closeSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf, UsageError } from '../spec/thrown.js';

/** The file in a folder of reports that says which process writes there. */
export const lockFile = '.plumbline.lock';

/** A folder that only this process writes into, until it releases it. */
export interface FolderLock {
  release(): void;
}

/** Another process writes into a folder; the message says which one, and what to do. */
export class FolderInUse extends UsageError {
  override readonly name = 'FolderInUse';
}

// How often a process shows that it is alive, and how long one that cannot be asked may be silent.
const beatMs = 5_000;
const silentMs = 30_000;

/** What a lock says of the process that holds the folder. */
interface Holder {
  readonly id: string;
  readonly pid: number;
  /** When the system started the process, in its own unit; null where the system does not say. */
  readonly started: string | null;
  /** The machine and, on Linux, the namespace in which the pid means something. */
  readonly place: string;
  readonly since: string;
}

/**
 * Locks a folder that is there until the process releases it or ends. A lock that a killed process left is replaced.
 * Throws FolderInUse, or what the system says where the lock cannot be written.
 */
export function lockFolder(directory: string): FolderLock {
  const path = join(directory, lockFile);
  const holder: Holder = {
    id: randomUUID(),
    pid: process.pid,
    started: startOf(process.pid),
    place: placeOfThisProcess(),
    since: new Date().toISOString(),
  };
  const own = JSON.stringify(holder);
  take(path, own);
  const beat = setInterval(() => showLife(path), beatMs).unref();
  const release = () => {
    clearInterval(beat);
    process.off('exit', release);
    if (textOf(path) === own) rmSync(path, { force: true });
  };
  process.on('exit', release);
  return { release };
}

function take(path: string, own: string): void {
  while (!isCreated(path, own)) {
    const found = textOf(path);
    // Released just now.
    if (found === undefined) continue;
    assertStale(path, found);
    removeStale(path, found);
  }
}

function isCreated(path: string, text: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(file, text);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return true;
}

function assertStale(path: string, text: string): void {
  const holder = holderOf(text);
  const isSilent = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > silentMs;
  if (holder?.place === placeOfThisProcess() ? !isRunning(holder) : isSilent) return;
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid} on ${holder.place.split(' ')[0]} (since ${holder.since})`;
  throw new FolderInUse(
    `${path.slice(0, -lockFile.length - 1)} is in use: ${who} writes reports there. Wait for it to end, or give --report another folder; if there is no such process, remove ${path}.`,
  );
}

/** Another process may have taken the folder since its lock was found to be stale: then that lock is put back. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (textOf(aside) === stale) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Undefined where the text is cut short or of something else. */
function holderOf(text: string): Holder | undefined {
  try {
    const { pid, place, started, since, id } = Object(JSON.parse(text)) as Record<string, unknown>;
    if (typeof pid !== 'number' || typeof place !== 'string') return undefined;
    return {
      id: String(id),
      pid,
      place,
      started: started === null ? null : String(started),
      since: String(since),
    };
  } catch {
    return undefined;
  }
}

/** Whether the process of a lock, in this process's place, still runs: a pid may belong to another process by now. */
function isRunning({ pid, started }: Holder): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  return startOf(pid) === started;
}

/** When the system started a process; null where it does not say, or the process has ended and is only kept as a zombie. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it may hold blanks and brackets.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : (fields[18] ?? null);
  } catch {
    return null;
  }
}

function placeOfThisProcess(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function showLife(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // Somebody removed it; the run goes on.
  }
}
