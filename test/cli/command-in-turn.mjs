// Runs the command again and again in one process, as told by its parent: what loads once is paid for once.
const [, , command] = process.argv;
let runs = 0;
let told = () => undefined;

// Every run listens to them anew.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
// Node would print it past what stands in for the standard error.
process.on('warning', (warning) => told(`${warning}\n`));
const { exit } = process;
process.on('disconnect', () => exit.call(process));
// A command that has ended has its process ended; this one goes on with the next.
process.exit = () => undefined;

process.on('message', async ({ args, cwd, env, isWholeEnvironment }) => {
  process.chdir(cwd);
  const before = { ...process.env };
  if (isWholeEnvironment) for (const name of Object.keys(before)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, command, ...args];
  process.exitCode = undefined;
  const printed = { stdout: '', stderr: '' };
  told = (text) => {
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
  // Another query is another module to the loader, so that it is the whole command which runs.
  const { ended } = await import(`file://${command}?run=${runs}`);
  await ended;
  const ms = performance.now() - start;
  for (const restore of writes) restore();
  const { user, system } = process.cpuUsage(cpuBefore);
  // Of all runs so far: to ask again and again would cost more than many of them do.
  const bytes = process.resourceUsage().maxRSS * 1_024;
  for (const name of Object.keys(env)) delete process.env[name];
  Object.assign(process.env, before);
  process.send({ code: process.exitCode ?? null, ...printed, ms, bytes, cpuMs: (user + system) / 1_000 });
});
