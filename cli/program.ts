import { Argument, Command, CommanderError, Option } from 'commander';
import { wholeRun, writeShard } from '../judge/plan.js';
import { formats } from '../reports/formats.js';
import { sanitizeLines } from '../reports/sanitize.js';
import { exitCodes } from '../spec/exit-codes.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { toolVersion } from '../spec/version.js';
import {
  parseCasePath,
  parseConcurrency,
  parseCount,
  parseFile,
  parseFormats,
  parseLedgerRelease,
  parsePort,
  parseRate,
  parseRepeated,
  parseRoutePath,
  parseSeconds,
  parseSeed,
  parseSeedCount,
  parseShard,
  parseStopper,
  parseText,
  parseUrl,
  type Shell,
  shells,
} from './flags.js';
import { exitSoon, handleOutputErrors } from './process-lifetime.js';
import { describing } from './target-description.js';

/** Builds the command line. Each command is loaded when it runs. */
function buildProgram(): Command {
  const plumbline = new Command('plumbline')
    .description('Checks a server against the Intern Vault, Guardrail Read and Limits interface.')
    .version(toolVersion)
    .showHelpAfterError('(plumbline --help lists the commands)')
    .hook('preAction', (_, command) => {
      if (process.env.NO_COLOR !== undefined) command.setOptionValue('color', false);
    });
  const command = (name: string, description: string) => plumbline.command(name).description(description);

  const run = command(
    'run',
    'judge a server and write the reports (default target: plumbline.yaml here)',
  ).argument('[url]', 'same as --target', parseUrl);
  trusting(sending(describing(selecting(run))))
    .option(
      '--target <url>',
      "the server's base URL, version segment included (default: the control's base_url)",
      parseUrl,
    )
    .option('--reference', 'judge the embedded reference server, on a free local port', false)
    .option('--control <url>', "the target's control protocol", parseUrl)
    .addOption(controlTokenOption('token for the control protocol'))
    .option('--path <p>', 'send only this generated case again; a report names its path', parseCasePath)
    .addOption(timeoutOption())
    .addOption(
      new Option('--bail [n]', 'stop after n confirmed violations (1 if n is omitted)')
        .argParser(parseCount)
        .preset('1'),
    )
    .addOption(repeatable('--observed <file>', 'recorded traffic to use as evidence', 'none'))
    .option(
      '--observed-target <url>',
      'base URL of the recorded exchanges that count (default: the only recorded one ending in /v1)',
      parseUrl,
    )
    .option(
      '--canary-file <file>',
      'secret values that no recorded response may contain, one per line',
      parseText,
    )
    .option('--waivers <file>', 'known violations to allow, each until an expiry date', parseText)
    .option(
      '--propose-waivers <file>',
      'write a waivers file to fill in, for violations that decide',
      parseText,
    )
    .option(
      '--allow-incomplete',
      'exit with 0 instead of 4 if nothing failed but a must stayed unproven',
      false,
    )
    .option(
      '--propose-policy <file>',
      'write a policy to fill in that excuses what this target cannot show',
      parseText,
    )
    .option(
      '--ledger <version>',
      'release whose requirements decide; violations of newer ones only warn (default: this release)',
      parseLedgerRelease,
    );
  reporting(recording(run))
    .option('-v, --verbose', 'print each exchange on standard error, with every secret redacted', false)
    .option('--json', 'print report.json on standard output, and everything else on standard error', false)
    .action(async (url: string | undefined, given) => {
      const { chooseTarget, startEmbedded } = await import('./target.js');
      const flags = chooseTarget('run', given, url);
      const embedded = flags.reference ? startEmbedded() : undefined;
      try {
        const { run } = await import('./run.js');
        process.exitCode = await run(flags, embedded);
      } finally {
        await embedded?.close();
      }
    });

  const plan = command('plan', 'show what run would send: requests, writes, duration; sends nothing');
  sending(describing(addressing(selecting(plan))))
    .option('--reference', 'show what run --reference would send', false)
    .addOption(colorOption())
    .action(async (url: string | undefined, given) => {
      const [{ plan }, { chooseTarget }] = await Promise.all([import('./plan.js'), import('./target.js')]);
      process.exitCode = await plan(chooseTarget('plan', given, url));
    });

  const observe = command(
    'observe',
    'judge recorded traffic (HAR 1.2 or newline-delimited JSON, optionally gzipped); sends nothing',
  )
    .argument('<file...>', 'recordings; - reads standard input', parseRepeated)
    .option(
      '--target <url>',
      'base URL of the exchanges to judge (default: the only recorded one ending in /v1)',
      parseUrl,
    );
  reporting(observing(selecting(observe))).action(async (files: readonly string[], flags) => {
    const { observe } = await import('./observe.js');
    process.exitCode = await observe(files, flags);
  });

  const proxy = command('proxy', 'pass traffic on to a target and judge it on the way, until Ctrl+C')
    .requiredOption('--target <url>', 'base URL of the target, version segment included', parseUrl)
    .requiredOption('--listen <port>', 'port to listen on; 0 picks a free one', parsePort)
    .option('--host <address>', 'address to listen on', parseText, '127.0.0.1')
    .option('--max-time <s>', 'seconds after which it ends (default: unlimited)', parseSeconds)
    .option(
      '--requests <n>',
      'number of judged exchanges after which it ends (default: unlimited)',
      parseCount,
    )
    .option('--bail', 'end at the first violation', false)
    .option('--annotate', 'add X-Plumbline to short answers: the requirements that they violate', false)
    .option('--record <file>', 'write what passed as a HAR, secrets redacted', parseText);
  reporting(recording(trusting(observing(selecting(proxy))))).action(async (flags) => {
    const { runProxy } = await import('./proxy.js');
    process.exitCode = await runProxy(flags);
  });

  const doctor = command(
    'doctor',
    'try a URL, keys and a profile: what works, what is missing and what it would unlock',
  );
  trusting(describing(addressing(doctor)))
    .option('--profile <file>', 'profile to try (default: plumbline.yaml)', parseText)
    .addOption(timeoutOption())
    .option(
      '--allow-destructive',
      'store and delete its own secrets on a target that is not on loopback',
      false,
    )
    .addOption(colorOption())
    .action(async (url: string | undefined, given) => {
      const [{ doctor }, { chooseTarget }] = await Promise.all([
        import('./doctor.js'),
        import('./target.js'),
      ]);
      process.exitCode = await doctor(chooseTarget('doctor', given, url));
    });

  command('serve', 'run the embedded reference server, or one of its mutants or variants')
    .option('--port <n>', 'port to listen on; 0 picks a free one', parsePort, 4010)
    .option('--host <address>', 'address to listen on', parseText, '127.0.0.1')
    .addOption(controlTokenOption('token that control calls must carry'))
    .option('--mutant <id>', 'run a mutant: the reference with one violation', parseText)
    .option('--variant <id>', 'run a variant: the reference with one permitted difference', parseText)
    .action(async (flags) => {
      const { serve } = await import('./serve.js');
      process.exitCode = await serve(flags);
    });

  command('prove', 'show that the suite can be trusted: every mutant caught, no variant failed')
    .addOption(repeatable('--only <glob>', 'IDs of mutants and variants', 'all'))
    .option('--all', 'judge the whole catalogue, each server to the end; takes long', false)
    .option('--list', 'print the mutants and variants without judging them', false)
    .addOption(depthOption())
    .option('--seed <n>', 'seed of every generated case (default: random)', parseSeed)
    .option('--seeds <k>', 'number of seeds, counting up from the first', parseSeedCount, 1)
    .option('--jobs <n>', 'servers judged at a time (default: number of cores)', parseCount)
    .option('--report <dir>', 'folder for proof.json and proof.md', parseText, 'plumbline-proof')
    .option('-q, --quiet', 'print the result only', false)
    .addOption(colorOption())
    .action(async (flags) => {
      const { prove } = await import('./prove.js');
      process.exitCode = await prove(flags);
    });

  const report = command('report', 'render the reports of a run again, also of a run that was killed')
    .requiredOption('--from <dir>', 'folder of the run, or its report.json', parseText)
    .option('--report <dir>', 'folder for the reports (default: the same folder)', parseText);
  rendering(report).action(async (flags) => {
    const { report } = await import('./report.js');
    process.exitCode = await report(flags);
  });

  trusting(describing(command('replay', 'send a finding of a report again, step by step')))
    .argument('<report>', 'report.json of the run, or its folder', parseText)
    .argument('[n]', 'number of the finding', parseCount, 1)
    .option('--target <url>', "the server's base URL (default: as in the report)", parseUrl)
    .option('--control <url>', "the target's control protocol (default: as in the report)", parseUrl)
    .addOption(controlTokenOption('token for the control protocol'))
    .option('--profile <file>', 'profile of the target (default: as in the report)', parseText)
    .option('--keep', 'leave the world as it is, and print its keys as export lines', false)
    .option('--script <file>', 'write a Node script that shows the finding without plumbline', parseText)
    .addOption(timeoutOption())
    .option('--allow-destructive', 'store and delete on a target that is not on loopback', false)
    .option('--inference', 'send inference requests to a target that is not on loopback', false)
    .action(async (report: string, number: number, flags) => {
      const { replay } = await import('./replay.js');
      process.exitCode = await replay({ ...flags, report, number });
    });

  describing(command('clean', 'remove the worlds and secrets that a run left on its target'))
    .requiredOption('--from <dir>', 'folder of the run, or its report.json', parseText)
    .option('--target <url>', "the run's base URL, if it was given one", parseUrl)
    .option('--control <url>', "the control protocol of the run's target", parseUrl)
    .addOption(controlTokenOption('token for the control protocol'))
    .option('--profile <file>', "the run's profile (default: plumbline.yaml)", parseText)
    .addOption(timeoutOption())
    .option('--allow-destructive', 'delete on a target that is not on loopback', false)
    .action(async (flags) => {
      const { clean } = await import('./clean.js');
      process.exitCode = await clean(flags);
    });

  command('compare', 'compare two reports: new violations, fixed ones, lost and gained coverage')
    .argument('<old>', 'report to compare with, or its folder', parseText)
    .argument('<new>', 'report to compare, or its folder', parseText)
    .addOption(outputFormatOption('text', 'html', 'json', 'markdown'))
    .addOption(
      new Option(
        '--fail-on <what>',
        'also exit with 1 on this, besides new violations: lost-coverage, flaky; repeatable',
      )
        .argParser(parseStopper)
        .default([], 'none'),
    )
    .option('--output <file>', 'file for the result (default: standard output)', parseText)
    .addOption(colorOption())
    .action(async (before: string, after: string, flags) => {
      const { compare } = await import('./compare.js');
      process.exitCode = await compare({ ...flags, old: before, new: after });
    });

  command('trend', 'chart the last runs of a history file')
    .argument('<file>', 'file that run --history appends to', parseText)
    .option('--last <n>', 'number of runs', parseCount, 30)
    .addOption(outputFormatOption('text', 'html', 'json'))
    .option('--output <file>', 'file for the result (default: standard output)', parseText)
    .addOption(colorOption())
    .action(async (file: string, flags) => {
      const { trend } = await import('./trend.js');
      process.exitCode = await trend({ ...flags, file });
    });

  command('init', 'write a commented profile')
    .argument('[file]', 'file to write', parseText, 'plumbline.yaml')
    .option('--force', 'overwrite an existing file', false)
    .action(async (file: string, { force }: { readonly force: boolean }) => {
      const { init } = await import('./init.js');
      process.exitCode = await init({ file, force });
    });

  const merge = command('merge', 'merge the reports of all shards of a run into one').argument(
    '<dir...>',
    'reports of all shards: folders, or report.json files',
    parseRepeated,
  );
  reporting(merge).action(async (paths: readonly string[], flags) => {
    const { merge } = await import('./merge.js');
    process.exitCode = await merge(paths, flags);
  });

  selecting(command('requirements', 'print the requirements: ID, section, level, what it takes to test each'))
    .option('--json', 'print them as JSON', false)
    .action(async (flags) => {
      const { requirements } = await import('./requirements.js');
      process.exitCode = requirements(flags);
    });

  command('explain', 'explain a requirement: what the document says, how it is checked, how to fix a server')
    .argument('<id>', 'requirement ID', parseText)
    .action(async (id: string) => {
      const { explain } = await import('./explain.js');
      process.exitCode = explain(id);
    });

  command('completion', 'print a script that completes commands, flags and requirement IDs in a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(shells))
    .action(async (shell: Shell) => {
      const { printCompletion } = await import('./completion.js');
      process.exitCode = printCompletion(shell);
    });

  plumbline
    .command('complete', { hidden: true })
    .argument('[words...]', 'the words after the name of the command; the last one is to be completed')
    .action(async (words: readonly string[]) => {
      const { complete } = await import('./completion.js');
      process.exitCode = complete(plumbline, words);
    });

  return plumbline;
}

/** The flags that say what is known of traffic that others send. */
function observing(command: Command) {
  return command
    .option('--inference-path <path>', 'path of inference requests below the base URL', parseRoutePath)
    .option('--canary-file <file>', 'secret values that no response may contain, one per line', parseText);
}

/** Adds the flags that say which certificates to trust. */
function trusting(command: Command): Command {
  return command
    .option(
      '--cacert <file>',
      'trust these certificate authorities (PEM) instead of those of this machine',
      parseText,
    )
    .option('--insecure', 'accept any certificate; the report says so', false);
}

/** Adds the URL of the target, as an argument and as a flag. */
function addressing(command: Command): Command {
  return command
    .argument('[url]', 'same as --target', parseUrl)
    .option('--target <url>', "the server's base URL, version segment included", parseUrl);
}

/** Adds the flags that say what to send, how fast, and what is permitted. */
function sending(command: Command): Command {
  return command
    .option(
      '--profile <file>',
      'description of a deployment: target, keys, interns, how to store a secret (default: plumbline.yaml, if no target is given)',
      parseText,
    )
    .addOption(depthOption())
    .option('--cases <n>', "generated cases per property, instead of the depth's number", parseCount)
    .option('--seed <n>', 'seed of every generated case (default: random)', parseSeed)
    .addOption(
      new Option(
        '--shard <i/n>',
        'run one of n shards, such as 2/3; --concurrency, --rate and --max-requests are divided among them',
      )
        .argParser(parseShard)
        .default(wholeRun, writeShard(wholeRun)),
    )
    .option(
      '--run-id <id>',
      'ID shared by all shards of a run; also determines the seed, without --seed',
      parseText,
    )
    .option('--concurrency <n>', 'requests in flight (default: 16)', parseConcurrency)
    .option(
      '--rate <n|auto>',
      'most requests per second, all included; auto slows down when the target limits them (default: auto)',
      parseRate,
    )
    .option(
      '--max-requests <n>',
      'most requests to send; the rest is inconclusive (default: 500 at depth quick, else unlimited)',
      parseCount,
    )
    .option('--max-time <s>', 'most seconds to run; the rest is inconclusive (default: 240)', parseSeconds)
    .option('--allow-destructive', 'store and delete secrets on a target that is not on loopback', false)
    .option(
      '--inference',
      'send inference requests, which cost money, to a target that is not on loopback',
      false,
    );
}

/** Adds the flags that select requirements. */
function selecting(command: Command): Command {
  return command
    .addOption(repeatable('--only <glob>', 'requirement IDs to include', 'all'))
    .addOption(repeatable('--skip <glob>', 'requirement IDs to leave out', 'none'));
}

/** Adds the flags that record a run in a history. */
function recording(command: Command): Command {
  return command
    .option('--history <file>', 'append a line for this run to this file; see trend', parseText)
    .option('--label <text>', 'what is judged, such as a commit, for the history', parseText)
    .option('--history-link <url>', 'where to read more about this run, for the history', parseUrl);
}

/** Adds the flags of a command that writes reports into a folder. */
function reporting(command: Command): Command {
  return rendering(command.option('--report <dir>', 'folder for the reports', parseText, 'plumbline-report'));
}

function rendering(command: Command): Command {
  return command
    .addOption(
      new Option('--format <list>', `formats to write: ${formats.join(', ')}`)
        .argParser(parseFormats)
        .default(formats, 'all'),
    )
    .option(
      '--sarif-location <file>',
      'file of your repository to put findings into, in SARIF and annotations, such as your OpenAPI description',
      parseFile,
    )
    .option('-q, --quiet', 'print the verdict only', false)
    .addOption(colorOption());
}

function repeatable(flag: string, description: string, none: string): Option {
  return new Option(flag, `${description}; repeatable`).argParser(parseRepeated).default([], none);
}

function depthOption(): Option {
  return new Option('--depth <depth>', 'how much to send')
    .choices(['quick', 'standard', 'deep'])
    .default('standard');
}

function outputFormatOption(...choices: readonly string[]): Option {
  return new Option('--format <format>', 'output format').choices(choices).default(choices[0]);
}

function controlTokenOption(description: string): Option {
  return new Option(
    '--control-token <token>',
    `${description} (default: the environment variable PLUMBLINE_CONTROL_TOKEN)`,
  ).argParser(parseText);
}

/** Given in seconds and kept in milliseconds. */
function timeoutOption(): Option {
  return new Option('--timeout <s>', 'seconds to wait for one response')
    .argParser(parseSeconds)
    .default(10_000, '10');
}

function colorOption(): Option {
  return new Option('--no-color', 'print without colors');
}

/** Refuses empty values of a command before their own parsers refuse them with a less helpful message. */
function refuseEmptyValues({ options, registeredArguments }: Command): void {
  for (const taken of [...options, ...registeredArguments]) {
    const { parseArg } = taken;
    if (parseArg === undefined) continue;
    taken.parseArg = (value, before) => {
      parseText(value);
      return parseArg(value, before);
    };
  }
}

type ExplainLoadError = (error: unknown) => string | undefined;

/**
 * Runs the command that the arguments of this process name, and sets the exit code.
 * @param explainLoadError says what an error means if it comes from loading a file of this package
 */
export async function main(explainLoadError: ExplainLoadError): Promise<void> {
  handleOutputErrors();
  const plumbline = buildProgram();
  for (const command of [plumbline, ...plumbline.commands]) {
    refuseEmptyValues(command);
    command
      .exitOverride()
      .configureOutput({ writeErr: (text) => process.stderr.write(sanitizeLines(removeFlagValue(text))) });
  }
  try {
    const args = process.argv.slice(2);
    // Many commands print their version for -v; here it is a flag of run.
    await plumbline.parseAsync(args[0] === '-v' ? ['--version'] : args, { from: 'user' });
  } catch (error) {
    process.exitCode = reportError(error, explainLoadError);
  }
  exitSoon();
}

/** Takes the value of a mistyped flag, which may be a secret, out of a message of commander. */
function removeFlagValue(text: string): string {
  return text.replace(/(unknown option '--[\w-]+)=[^\n]*'/, "$1'");
}

/** Prints an error and returns its exit code. */
function reportError(error: unknown, explainLoadError: ExplainLoadError): number {
  // Commander has printed its own already; help and version end with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  const isUsage = error instanceof UsageError;
  const message = (isUsage ? undefined : explainLoadError(error)) ?? messageOf(error);
  process.stderr.write(`plumbline: ${sanitizeLines(message)}\n`);
  return isUsage ? exitCodes.usage : exitCodes.suiteFault;
}
