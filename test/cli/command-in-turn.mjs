// Runs the command many times in one process, for its parent, so that modules of packages are loaded only once.
const [, , command] = process.argv;
let runs = 0;
let warn = () => undefined;

// Each run adds listeners to them.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
// Node would print warnings around the replaced write of standard error.
process.on('warning', (warning) => warn(`${warning}\n`));
const { exit } = process;
process.on('disconnect', () => exit.call(process));
// A command may end its process; this one must go on with the next.
process.exit = () => undefined;

process.on('message', async ({ args, cwd, env, isWholeEnvironment }) => {
  process.chdir(cwd);
  const before = { ...process.env };
  if (isWholeEnvironment) for (const name of Object.keys(before)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, command, ...args];
  process.exitCode = undefined;
  const printed = { stdout: '', stderr: '' };
  warn = (text) => {
    printed.stderr += text;
  };
  const writes = ['stdout', 'stderr'].map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (text, ...rest) => {
      printed[name] += text;
      rest.find((one) => typeof one === 'function')?.();
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  runs += 1;
  // A new query makes the loader evaluate the command again.
  const { ended } = await import(`file://${command}?run=${runs}`);
  await ended;
  const ms = performance.now() - start;
  for (const restore of writes) restore();
  const { user, system } = process.cpuUsage(cpuBefore);
  // The peak of all runs so far; measuring one run alone would cost more than many runs do.
  const bytes = process.resourceUsage().maxRSS * 1_024;
  for (const name of Object.keys(env)) delete process.env[name];
  Object.assign(process.env, before);
  process.send({ code: process.exitCode ?? null, ...printed, ms, bytes, cpuMs: (user + system) / 1_000 });
});
