#!/usr/bin/env node
import { fileURLToPath } from 'node:url';

// This file imports nothing of the package statically and uses the syntax of Node 12, so that a module that does not load,
// or an old Node, is reported in one line and with an exit code that is not a verdict's.

const leastNode = [20, 19] as const;
const suiteFault = 5;
const oldNode = `Node.js ${process.versions.node} is too old. Use Node.js ${leastNode.join('.')} or later.`;
const built = fileURLToPath(new URL('..', import.meta.url));

/** Resolves once the command has ended. */
export const ended: Promise<void> = isOldNode() ? Promise.resolve(fail(oldNode)) : run();

function isOldNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1]);
}

function run(): Promise<void> {
  if (process.listenerCount('uncaughtException') === 0) process.on('uncaughtException', endUncaught);
  process.on('exit', refuseEarlyEnd);
  return (
    isVersionAsked() ? printVersion() : import('./program.js').then(({ main }) => main(explainLoadError))
  )
    .catch((error: unknown) => fail(explainLoadError(error) || explainDamage(error)))
    .then(() => {
      process.off('exit', refuseEarlyEnd);
    });
}

/** Whether the version is asked for. Many commands print theirs for -v; after `run` it is a flag. */
function isVersionAsked(): boolean {
  return ['--version', '-V', '-v'].some((flag) => flag === process.argv[2]);
}

/** Prints the version without the command line, which takes three times as long to load. */
function printVersion(): Promise<void> {
  return Promise.all([import('../spec/version.js'), import('./process-lifetime.js')]).then(
    ([{ toolVersion }, { handleOutputErrors }]) => {
      handleOutputErrors();
      process.stdout.write(`${toolVersion}\n`);
      process.exitCode = 0;
    },
  );
}

/** Node exits with 0 when a command awaits something that can no longer happen. */
function refuseEarlyEnd(code: number): void {
  if (code === 0) fail('the command stopped early. Reinstall plumbline, or report this as a bug.');
}

/** Ends the process after an uncaught error, unless the command handles these itself. */
function endUncaught(error: unknown): void {
  if (process.listenerCount('uncaughtException') > 1) return;
  fail(explainLoadError(error) || `uncaught error: ${messageOf(error)}`);
  process.exit();
}

/** Explains an error that comes from loading a file of this package, and what to do; undefined for other errors. */
function explainLoadError(error: unknown): string | undefined {
  const { code, path, stack } = Object(error) as { code?: unknown; path?: unknown; stack?: unknown };
  if (code === 'EMFILE' || code === 'ENFILE') return explainFileLimit(code);
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || code === 'ERR_WORKER_INIT_FAILED')
    return isShortOfFiles() ? explainFileLimit('EMFILE') : explainDamage(error);
  if (typeof path === 'string' && path.startsWith(built)) return explainDamage(error);
  // Other syntax errors, such as those of JSON.parse, do not come from the module loader.
  const isUnparsed = error instanceof SyntaxError && /^file:|node:internal\/modules\//.test(String(stack));
  return isUnparsed ? explainDamage(error) : undefined;
}

function explainFileLimit(code: string): string {
  return `could not open its files (${code}). Raise the limit of open files, for example with "ulimit -n 1024".`;
}

/** Node reports a package whose package.json it could not open as missing. Loading takes fewer than 256 files at once. */
function isShortOfFiles(): boolean {
  const { userLimits = {} } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: unknown } };
  };
  const { open_files: openFiles = { soft: 'unlimited' } } = userLimits;
  return Number(openFiles.soft) < 256;
}

function explainDamage(error: unknown): string {
  return `could not load its files: ${messageOf(error).replace(/\.$/, '')}. Reinstall plumbline; in a checkout run "npm ci".`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fail(message: string): void {
  process.stderr.write(`plumbline: ${message.replace(/[\s\p{Cc}]+/gu, ' ')}\n`);
  process.exitCode = suiteFault;
}
