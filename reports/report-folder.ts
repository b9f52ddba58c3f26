import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isObject, tryParseJson } from '../spec/json.js';
import { codeOf, UsageError } from '../spec/thrown.js';
import { ensureDirectory, explainWriteError, UnwritableFile } from './atomic-write.js';
import { reportFiles } from './formats.js';

/** The file that a run's evidence is written to as it goes. */
export const journalFile = 'journal.ndjson';

/** The file in a folder of reports that says which process writes there. */
export const lockFile = '.plumbline.lock';

/** Another process writes into a folder; the message says which one, and what to do. */
export class FolderInUse extends UsageError {
  override readonly name = 'FolderInUse';
}

/** Makes and locks a folder without files of an earlier run. Throws UnwritableFile, or FolderInUse. */
export async function prepareReportDirectory(directory: string): Promise<Disposable> {
  const lock = await lockReportDirectory(directory);
  try {
    await removeOwnFiles(directory);
    return lock;
  } catch (error) {
    lock[Symbol.dispose]();
    throw error instanceof UnwritableFile ? error : unusable(directory, error, directory);
  }
}

/** Locks the folder of a report, made if missing; its files stay. Throws UnwritableFile, or FolderInUse. */
export async function lockReportDirectory(directory: string): Promise<Disposable> {
  try {
    await ensureDirectory(directory);
    return lockFolder(directory);
  } catch (error) {
    throw error instanceof FolderInUse ? error : unusable(directory, error, lockFile);
  }
}

/** Removes every file of a run from a folder of reports, and the folder where nothing else is in it. */
export async function abandonReportDirectory(directory: string): Promise<void> {
  await removeOwnFiles(directory);
  await rm(join(directory, lockFile), { force: true });
  await rmdir(directory).catch(() => undefined);
}

async function removeOwnFiles(directory: string): Promise<void> {
  const own: readonly string[] = [journalFile, ...Object.values(reportFiles)];
  const isStale = (name: string) =>
    own.includes(name) ||
    (name.endsWith('.tmp') && [...own, lockFile].some((file) => name.startsWith(`${file}.`)));
  const removals = (await readdir(directory)).filter(isStale).map((name) =>
    rm(join(directory, name), { force: true }).catch((error: unknown) => {
      throw unusable(directory, error, name);
    }),
  );
  await Promise.all(removals);
}

function unusable(directory: string, error: unknown, fileName: string): UnwritableFile {
  return new UnwritableFile(`${directory} cannot hold the reports: ${explainWriteError(error, fileName)}`);
}

// How often a process touches its lock, and after how long without that the lock is stale.
const heartbeatMs = 5_000;
const staleAfterMs = 30_000;

/** Locks a folder until the lock is disposed of or the process ends. Throws FolderInUse, or the system's error. */
export function lockFolder(directory: string): Disposable {
  const path = join(directory, lockFile);
  // A PID is meaningful only on its own machine.
  const holder = { pid: process.pid, place: hostname(), since: new Date().toISOString() };
  const own = JSON.stringify({ id: randomUUID(), ...holder });
  acquire(path, own);
  const beat = setInterval(() => touch(path), heartbeatMs).unref();
  const release = () => {
    clearInterval(beat);
    process.off('exit', release);
    if (readText(path) === own) rmSync(path, { force: true });
  };
  process.on('exit', release);
  return { [Symbol.dispose]: release };
}

function acquire(path: string, own: string): void {
  while (!createFile(path, own)) {
    const found = readText(path);
    // The lock was released in the meantime.
    if (found === undefined) continue;
    assertStale(path, found);
    removeStale(path, found);
  }
}

function createFile(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // A full disk leaves an empty one.
    rmSync(path, { force: true });
    throw error;
  }
}

function assertStale(path: string, text: string): void {
  const holder = parseHolder(text);
  const isOld = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > staleAfterMs;
  // The pid of a process that is gone may belong to another by now, which does not touch the lock.
  const isGone = holder?.place === hostname() && !isRunning(holder.pid);
  if (isOld || isGone) return;
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid} on ${holder.place} (since ${holder.since})`;
  throw new FolderInUse(
    `${path.slice(0, -lockFile.length - 1)} is in use: ${who} is writing reports there. Wait until it ends, or give --report another folder; if there is no such process, remove ${path}.`,
  );
}

/** Another process may have taken the folder since its lock was found stale: then that lock is put back. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${randomUUID()}.tmp`;
  unlessMissing(() => renameSync(path, aside));
  const found = readText(aside);
  if (found === stale) rmSync(aside, { force: true });
  else if (found !== undefined) renameSync(aside, path);
}

function readText(path: string): string | undefined {
  return unlessMissing(() => readFileSync(path, 'utf8'));
}

/** Returns what a call returns; undefined where the file that it is about does not exist. */
function unlessMissing<Result>(call: () => Result): Result | undefined {
  try {
    return call();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns undefined where the text is cut short or not a lock. */
function parseHolder(text: string) {
  const value = tryParseJson(text);
  if (!isObject(value) || typeof value.pid !== 'number' || typeof value.place !== 'string') return undefined;
  const { pid, place, since } = value;
  return { pid, place, since: String(since) };
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // Somebody removed the lock; the run goes on.
  }
}
