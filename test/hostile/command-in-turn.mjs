// Runs the command again and again in one process, as told by its parent: what loads once is paid for once.
const [, , command] = process.argv;
let runs = 0;

// Every run listens to them anew.
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);

process.on('message', async ({ args, cwd, env }) => {
  process.chdir(cwd);
  Object.assign(process.env, env);
  process.argv = [process.execPath, command, ...args];
  process.exitCode = undefined;
  const printed = { stdout: '', stderr: '' };
  const writes = ['stdout', 'stderr'].map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (text) => {
      printed[name] += text;
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  const before = process.cpuUsage();
  const start = performance.now();
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  runs += 1;
  // Another query is another module to the loader, so that it is the whole command which runs.
  await import(`file://${command}?run=${runs}`);
  const ms = performance.now() - start;
  clearInterval(watch);
  for (const restore of writes) restore();
  const { user, system } = process.cpuUsage(before);
  const bytes = Math.max(peak, process.memoryUsage.rss());
  process.send({ code: process.exitCode ?? null, ...printed, ms, bytes, cpuMs: (user + system) / 1_000 });
});
