import { Command, CommanderError, Option } from 'commander';
import { wholeRun, writeShard } from '../judge/plan.js';
import { formats } from '../reports/formats.js';
import { inertLines } from '../reports/inert-text.js';
import { exitCodes } from '../spec/exit-codes.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { toolVersion } from '../spec/version.js';
import { tellBrokenOutput } from './broken-output.js';
import { chooseTarget } from './chosen-target.js';
import { startEmbedded } from './embedded.js';
import {
  concurrency,
  count,
  formatList,
  path,
  port,
  rate,
  repeated,
  repeatedStopper,
  routePath,
  seconds,
  seed,
  seedCount,
  shard,
  text,
  url,
} from './flags.js';
import { ledgerRelease } from './ledger-flag.js';

function program(): Command {
  const plumbline = new Command('plumbline')
    .description('Judges whether a server keeps to the Intern Vault, Guardrail Read and Limits interface.')
    .version(toolVersion)
    .showHelpAfterError('(plumbline --help lists the commands)')
    .hook('preAction', (_, command) => {
      if (process.env.NO_COLOR !== undefined) command.setOptionValue('color', false);
    });

  trusting(sending(selecting(plumbline.command('run'))))
    .description(
      'judge a server and write the reports; without a target, the one that plumbline.yaml describes',
    )
    .argument('[url]', 'as --target', url)
    .option(
      '--target <url>',
      "the server's base URL, version segment included (default: the control's base_url)",
      url,
    )
    .option('--reference', 'judge the embedded reference server, on a free port of this machine', false)
    .option('--control <url>', "the target's control protocol", url)
    .addOption(controlTokenOption('the token that the control protocol asks for'))
    .option('--path <p>', 'the one generated case to send again, as a report names it', path)
    .addOption(inSeconds('--timeout <s>', 'seconds that one request may take', 10))
    .addOption(
      new Option('--bail [n]', 'stop after so many confirmed violations; after one where no number is given')
        .argParser(count)
        .preset('1'),
    )
    .addOption(
      new Option('--observed <file>', 'recorded traffic, taken in as evidence; repeatable')
        .argParser(repeated)
        .default([], 'none'),
    )
    .option(
      '--observed-target <url>',
      'the base URL whose recorded exchanges count (default: the only one in the recordings that ends with /v1)',
      url,
    )
    .option(
      '--canary-file <file>',
      'stored secret values that no recorded response may hold, one a line',
      text,
    )
    .option('--waivers <file>', 'known violations that the gate lets through, each until a day', text)
    .option('--propose-waivers <file>', 'write waivers to fill in, one for each violation that decides', text)
    .option(
      '--ledger <version>',
      'the release whose requirements decide; violations of newer ones only warn (default: this one)',
      ledgerRelease,
    )
    .option('--report <dir>', 'where the reports go', text, 'plumbline-report')
    .addOption(formatOption())
    .option('--history <file>', 'the file that gets a line for this run, for trend', text)
    .option('--quiet', 'print the verdict only', false)
    .option('--no-color', 'print without colours')
    .action(async (address: string | undefined, given) => {
      const flags = chooseTarget('run', given, address);
      const embedded = flags.reference ? startEmbedded() : undefined;
      try {
        const { run } = await import('./run.js');
        process.exitCode = await run(flags, embedded);
      } finally {
        await embedded?.close();
      }
    });

  sending(selecting(plumbline.command('plan')))
    .description('print what run would send: requests, writes, the longest it can take')
    .option('--reference', 'print what run --reference would send', false)
    .option('--no-color', 'print without colours')
    .action(async (given) => {
      const { plan } = await import('./plan.js');
      process.exitCode = await plan(chooseTarget('plan', given));
    });

  selecting(plumbline.command('observe'))
    .description(
      'judge recorded traffic (HAR 1.2, newline-delimited JSON; packed by gzip or not), sending nothing',
    )
    .argument('<file...>', 'recordings; - is the standard input', repeated)
    .option(
      '--target <url>',
      'the base URL whose exchanges are judged (default: the only one in the recordings that ends with /v1)',
      url,
    )
    .option('--inference-path <path>', 'the path of inference requests below the base URL', routePath)
    .option('--canary-file <file>', 'stored secret values that no response may hold, one a line', text)
    .option('--report <dir>', 'where the reports go', text, 'plumbline-report')
    .addOption(formatOption())
    .option('--quiet', 'print the verdict only', false)
    .option('--no-color', 'print without colours')
    .action(async (files: readonly string[], flags) => {
      const { observe } = await import('./observe.js');
      process.exitCode = await observe(files, flags);
    });

  trusting(selecting(plumbline.command('proxy')))
    .description('pass traffic on to a target and judge it on the way, until Ctrl+C')
    .requiredOption('--target <url>', "the target's base URL, version segment included", url)
    .requiredOption('--listen <port>', 'the port to listen on; 0 takes a free one', port)
    .option('--host <address>', 'the address to listen on', text, '127.0.0.1')
    .option('--inference-path <path>', 'the path of inference requests below the base URL', routePath)
    .option('--canary-file <file>', 'stored secret values that no response may hold, one a line', text)
    .option('--max-time <s>', 'seconds after which it ends (default: unlimited)', seconds)
    .option('--requests <n>', 'judged exchanges after which it ends (default: unlimited)', count)
    .option('--bail', 'end at the first violation', false)
    .option('--annotate', 'add X-Plumbline to each short answer: the requirements that it violates', false)
    .option('--record <file>', 'write what passed as a HAR whose secrets are replaced', text)
    .option('--history <file>', 'the file that gets a line for this run, for trend', text)
    .option('--report <dir>', 'where the reports go', text, 'plumbline-report')
    .addOption(formatOption())
    .option('--quiet', 'print the verdict only', false)
    .option('--no-color', 'print without colours')
    .action(async (flags) => {
      const { proxy } = await import('./proxy.js');
      process.exitCode = await proxy(flags);
    });

  trusting(plumbline.command('doctor'))
    .description('try a profile: which key works, what is missing, what each missing thing would unlock')
    .option('--profile <file>', 'the profile to try (default: plumbline.yaml)', text)
    .addOption(inSeconds('--timeout <s>', 'seconds that one request may take', 10))
    .option(
      '--allow-destructive',
      'store and delete secrets of its own on a target that is not on loopback',
      false,
    )
    .option('--no-color', 'print without colours')
    .action(async (given) => {
      const { doctor } = await import('./doctor.js');
      process.exitCode = await doctor(chooseTarget('doctor', given));
    });

  plumbline
    .command('serve')
    .description('run the embedded reference server, or one of its mutants or variants')
    .option('--port <n>', 'the port to listen on; 0 takes a free one', port, 4010)
    .option('--host <address>', 'the address to listen on', text, '127.0.0.1')
    .addOption(controlTokenOption('the token that control calls must carry'))
    .option('--mutant <id>', 'run a mutant: the reference with one violation', text)
    .option('--variant <id>', 'run a variant: the reference with one permitted difference', text)
    .action(async (flags) => {
      const { serve } = await import('./serve.js');
      process.exitCode = await serve(flags);
    });

  plumbline
    .command('prove')
    .description('show that the suite can be trusted: every mutant caught, no variant accused')
    .addOption(
      new Option('--only <glob>', 'ids of mutants and variants; repeatable')
        .argParser(repeated)
        .default([], 'all'),
    )
    .option(
      '--all',
      'judge the whole catalogue, each server to the end, in place of the everyday part of it; takes long',
      false,
    )
    .option('--list', 'print the mutants and variants, and judge none', false)
    .addOption(depthOption())
    .option('--seed <n>', 'the seed of every generated case (default: random)', seed)
    .option('--seeds <k>', 'how many seeds, counted up from the first', seedCount, 1)
    .option('--jobs <n>', 'servers at once (default: the number of cores)', count)
    .option('--report <dir>', 'where proof.json and proof.md go', text, 'plumbline-proof')
    .option('--quiet', 'print the result only', false)
    .option('--no-color', 'print without colours')
    .action(async (flags) => {
      const { prove } = await import('./prove.js');
      process.exitCode = await prove(flags);
    });

  plumbline
    .command('report')
    .description('render the reports of a run again, from its record or from what a killed run left')
    .requiredOption('--from <dir>', 'the folder that the run wrote into, or its report.json', text)
    .option('--report <dir>', 'where the reports go (default: the same folder)', text)
    .addOption(formatOption())
    .option('--quiet', 'print the verdict only', false)
    .option('--no-color', 'print without colours')
    .action(async (flags) => {
      const { report } = await import('./report.js');
      process.exitCode = await report(flags);
    });

  plumbline
    .command('clean')
    .description('remove what a run left on its target: worlds and secrets, after it was killed too')
    .requiredOption('--from <dir>', 'the folder that the run wrote into, or its report.json', text)
    .option('--target <url>', "the run's base URL, where it was given one", url)
    .option('--control <url>', "the control protocol of the run's target", url)
    .addOption(controlTokenOption('the token that the control protocol asks for'))
    .option('--profile <file>', 'the profile of the run (default: plumbline.yaml)', text)
    .addOption(inSeconds('--timeout <s>', 'seconds that one request may take', 10))
    .option('--allow-destructive', 'delete on a target that is not on loopback', false)
    .action(async (flags) => {
      const { clean } = await import('./clean.js');
      process.exitCode = await clean(flags);
    });

  plumbline
    .command('compare')
    .description('tell what two reports differ in: newly violated, newly held, lost and gained coverage')
    .argument('<old>', 'the report to compare with, or its folder', text)
    .argument('<new>', 'the report to compare, or its folder', text)
    .addOption(
      new Option('--format <format>', 'how it is told')
        .choices(['text', 'json', 'markdown'] as const)
        .default('text' as const),
    )
    .addOption(
      new Option(
        '--fail-on <what>',
        'what ends with 1 beside a new violation: lost-coverage, flaky; repeatable',
      )
        .argParser(repeatedStopper)
        .default([], 'none'),
    )
    .option('--output <file>', 'where it goes (default: standard output)', text)
    .option('--no-color', 'print without colours')
    .action(async (before: string, after: string, flags) => {
      const { compare } = await import('./compare.js');
      process.exitCode = await compare({ ...flags, old: before, new: after });
    });

  plumbline
    .command('trend')
    .description('draw the last runs of a history file')
    .argument('<file>', 'the file that run --history appends to', text)
    .option('--last <n>', 'how many runs', count, 30)
    .addOption(
      new Option('--format <format>', 'how they are drawn')
        .choices(['text', 'html', 'json'] as const)
        .default('text' as const),
    )
    .option('--output <file>', 'where it goes (default: standard output)', text)
    .option('--no-color', 'print without colours')
    .action(async (file: string, flags) => {
      const { trend } = await import('./trend.js');
      process.exitCode = await trend({ ...flags, file });
    });

  plumbline
    .command('init')
    .description('write a commented profile')
    .argument('[file]', 'where it goes', text, 'plumbline.yaml')
    .option('--force', 'write over a file that is there', false)
    .action(async (file: string, { force }: { readonly force: boolean }) => {
      const { init } = await import('./init.js');
      process.exitCode = await init({ file, force });
    });

  plumbline
    .command('merge')
    .description('join the reports of the shards of one run into the one that one machine would have given')
    .argument('<dir...>', 'the reports of all shards: folders, or report.json files', repeated)
    .option('--report <dir>', 'where the report goes', text, 'plumbline-report')
    .addOption(formatOption())
    .option('--quiet', 'print the verdict only', false)
    .option('--no-color', 'print without colours')
    .action(async (paths: readonly string[], flags) => {
      const { merge } = await import('./merge.js');
      process.exitCode = await merge(paths, flags);
    });

  selecting(plumbline.command('requirements'))
    .description('print the ledger: id, section, level, what it takes to see it')
    .option('--json', 'print it as JSON', false)
    .action(async (flags) => {
      const { requirements } = await import('./requirements.js');
      process.exitCode = requirements(flags);
    });

  return plumbline;
}

/** The flags that say which certificates are trusted. */
function trusting(command: Command): Command {
  return command
    .option(
      '--cacert <file>',
      'certificates of the authorities to trust (PEM), in place of those this machine knows',
      text,
    )
    .option('--insecure', 'accept any certificate; the report says so', false);
}

/** The flags that say what is sent, how hard, and what may be done. */
function sending(command: Command): Command {
  return command
    .option(
      '--profile <file>',
      'what is known of a deployment: target, keys, interns, how to store a secret (default: plumbline.yaml, where no target is given)',
      text,
    )
    .addOption(depthOption())
    .option('--cases <n>', "generated cases per property, in place of the depth's", count)
    .option('--seed <n>', 'the seed of every generated case (default: random)', seed)
    .addOption(
      new Option(
        '--shard <i/n>',
        'one part of the run, such as 2/3; all parts share --concurrency, --rate and --max-requests, each its nth',
      )
        .argParser(shard)
        .default(wholeRun, writeShard(wholeRun)),
    )
    .option('--run-id <id>', 'what the shards of one run have in common; without --seed, the seed too', text)
    .option('--concurrency <n>', 'requests in flight (default: 16)', concurrency)
    .option(
      '--rate <n|auto>',
      'requests a second at the most, everything counted; auto slows down only where the target refuses more (default: auto)',
      rate,
    )
    .option(
      '--max-requests <n>',
      'requests that may be sent; the rest is then inconclusive (default: 500 at depth quick)',
      count,
    )
    .option(
      '--max-time <s>',
      'seconds that the run may take; the rest is then inconclusive (default: 240)',
      seconds,
    )
    .option('--allow-destructive', 'store and delete secrets on a target that is not on loopback', false)
    .option(
      '--inference',
      'send inference requests, which cost money, to a target that is not on loopback',
      false,
    );
}

function depthOption() {
  return new Option('--depth <depth>', 'how much is sent')
    .choices(['quick', 'standard', 'deep'] as const)
    .default('standard' as const);
}

function formatOption() {
  return new Option('--format <list>', `the formats to write: ${formats.join(', ')}`)
    .argParser(formatList)
    .default(formats, 'all');
}

function controlTokenOption(words: string) {
  const flag = '--control-token <token>';
  return new Option(flag, `${words} (default: PLUMBLINE_CONTROL_TOKEN of the environment)`).argParser(text);
}

function selecting(command: Command): Command {
  const glob = (flag: string, words: string, none: string) =>
    new Option(`${flag} <glob>`, words).argParser(repeated).default([], none);
  return command
    .addOption(glob('--only', 'requirement ids to judge; repeatable', 'all'))
    .addOption(glob('--skip', 'requirement ids to leave out; repeatable', 'none'));
}

/** A time that is given in seconds and kept in milliseconds; help tells it in seconds too. */
function inSeconds(flag: string, words: string, usual: number): Option {
  return new Option(flag, words).argParser(seconds).default(usual * 1000, String(usual));
}

/** Has every value that a command takes refused where it is empty, before its own rules say less clearly why. */
function refuseEmptyValues({ options, registeredArguments }: Command): void {
  for (const taken of [...options, ...registeredArguments]) {
    const { parseArg } = taken;
    if (parseArg === undefined) continue;
    taken.parseArg = (value, before) => {
      text(value);
      return parseArg(value, before);
    };
  }
}

/**
 * Runs the command that the arguments of this process name, and sets the exit code.
 * @param explainLoadError says what an error means if it comes from loading a file of this package
 */
export async function main(explainLoadError: (error: unknown) => string | undefined): Promise<void> {
  tellBrokenOutput();
  const plumbline = program();
  for (const command of [plumbline, ...plumbline.commands]) {
    refuseEmptyValues(command);
    command
      .exitOverride()
      .showSuggestionAfterError(false)
      .configureOutput({ writeErr: (text) => process.stderr.write(inertLines(text)) });
  }
  try {
    await plumbline.parseAsync();
  } catch (error) {
    process.exitCode = failed(error, explainLoadError);
  }
  exitSoon();
}

/** Tells an error in a line and gives the exit code it stands for. */
function failed(error: unknown, explainLoadError: (error: unknown) => string | undefined): number {
  // commander has told its own already; help and version end with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  const isUsage = error instanceof UsageError;
  const message = (isUsage ? undefined : explainLoadError(error)) ?? messageOf(error);
  process.stderr.write(`plumbline: ${inertLines(message)}\n`);
  return isUsage ? exitCodes.usage : exitCodes.suiteFault;
}

// More than an embedded server takes to close.
const lingersAtMostMs = 1_000;

/** Ends the process even where something is still under way: the look-up of a host name cannot be given up. */
function exitSoon(): void {
  const timer = setTimeout(() => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) exitSoon();
    else process.exit();
  }, lingersAtMostMs);
  timer.unref();
}
