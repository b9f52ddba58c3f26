import { Argument, Command, CommanderError, Option } from 'commander';
import { sanitizeLines } from '../reports/sanitize.js';
import { exitCodes } from '../spec/exit-codes.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { toolVersion } from '../spec/version.js';
import {
  parseCasePath,
  parseCount,
  parsePort,
  parseRepeated,
  parseSeconds,
  parseSeed,
  parseSeedCount,
  parseStopper,
  parseText,
  parseUrl,
  shells,
} from './flags.js';
import {
  addAddress,
  addFormatFlags,
  addGateFlags,
  addHistoryFlags,
  addObservedFlags,
  addOutputFlags,
  addReportFlags,
  addSelectionFlags,
  addSendingFlags,
  addTlsFlags,
  addTrafficFlags,
  makeColorOption,
  makeControlTokenOption,
  makeDepthOption,
  makeRepeatable,
  makeTimeoutOption,
} from './options.js';
import { exitSoon, handleOutputErrors } from './process-lifetime.js';
import { addDescriptionFlags } from './target-description.js';

/** What a command does: it returns the exit code. */
type Action = (...given: Parameters<Parameters<Command['action']>[0]>) => Promise<number>;

/** Adds arguments and flags to each command, and returns its action, which loads its module; in the order of the help. */
const commands: Readonly<Record<string, (command: Command) => Action>> = {
  run(command) {
    command
      .description('judge a server and write the reports (default: the target of plumbline.yaml)')
      .argument('[url]', 'same as --target', parseUrl);
    addTlsFlags(addSendingFlags(addDescriptionFlags(addSelectionFlags(command))))
      .option(
        '--target <url>',
        "the server's base URL, version segment included (default: the control's base_url)",
        parseUrl,
      )
      .option('--reference', 'judge the embedded reference server, on a free local port', false)
      .option('--control <url>', "the target's control protocol", parseUrl)
      .addOption(makeControlTokenOption())
      .option('--path <p>', 'send only this generated case again; a report names its path', parseCasePath)
      .addOption(makeTimeoutOption())
      .addOption(
        new Option('--bail [n]', 'stop after n confirmed violations (1 if n is omitted)')
          .argParser(parseCount)
          .preset('1'),
      );
    addGateFlags(addObservedFlags(command));
    addReportFlags(addHistoryFlags(command))
      .option('-v, --verbose', 'print each exchange on standard error, with every secret redacted', false)
      .option('--json', 'print report.json on standard output, and everything else on standard error', false);
    return async (url, given) => {
      const { chooseTarget, startEmbedded } = await import('./target.js');
      const flags = chooseTarget('run', given, url);
      await using embedded = flags.reference ? startEmbedded() : undefined;
      return await (await import('./run.js')).run(flags, embedded);
    };
  },

  plan(command) {
    command.description('show what run would send: requests, writes, duration; sends nothing');
    addSendingFlags(addDescriptionFlags(addAddress(addSelectionFlags(command))))
      .option('--reference', 'show what run --reference would send', false)
      .addOption(makeColorOption());
    return async (url, given) => {
      const [{ plan }, { chooseTarget }] = await Promise.all([import('./plan.js'), import('./target.js')]);
      return plan(chooseTarget('plan', given, url));
    };
  },

  doctor(command) {
    command.description(
      'try a URL, keys and a profile: what works, what is missing and what it would unlock',
    );
    addTlsFlags(addDescriptionFlags(addAddress(command)))
      .option('--profile <file>', 'profile to try (default: plumbline.yaml)', parseText)
      .addOption(makeTimeoutOption())
      .option('--allow-destructive', 'store and delete a secret on a target that is not on loopback', false)
      .addOption(makeColorOption());
    return async (url, given) => {
      const [{ doctor }, { chooseTarget }] = await Promise.all([
        import('./doctor.js'),
        import('./target.js'),
      ]);
      return doctor(chooseTarget('doctor', given, url));
    };
  },

  init(command) {
    command
      .description('write a commented profile')
      .argument('[file]', 'file to write', parseText, 'plumbline.yaml')
      .option('--force', 'overwrite an existing file', false);
    return async (file, flags) => (await import('./init.js')).init(file, flags);
  },

  replay(command) {
    command.description('send a finding of a report again, step by step');
    addTlsFlags(addDescriptionFlags(command))
      .argument('<report>', 'report.json of the run, or its folder', parseText)
      .argument('[n]', 'number of the finding', parseCount, 1)
      .option('--target <url>', "the server's base URL (default: as in the report)", parseUrl)
      .option('--control <url>', "the target's control protocol (default: as in the report)", parseUrl)
      .addOption(makeControlTokenOption())
      .option('--profile <file>', 'profile of the target (default: as in the report)', parseText)
      .option('--keep', 'leave the world as it is, and print its keys as export lines', false)
      .option('--script <file>', 'write a Node script that shows the finding without plumbline', parseText)
      .addOption(makeTimeoutOption())
      .option('--allow-destructive', 'store and delete on a target that is not on loopback', false)
      .option('--inference', 'send inference requests to a target that is not on loopback', false);
    return async (report, number, flags) =>
      (await import('./replay.js')).replay({ ...flags, report, number });
  },

  clean(command) {
    command.description('remove the worlds and secrets that a run left on its target');
    addDescriptionFlags(command)
      .requiredOption('--from <dir>', 'folder of the run, or its report.json', parseText)
      .option('--target <url>', "the run's base URL, if it was run with --target", parseUrl)
      .option('--control <url>', "the control protocol of the run's target", parseUrl)
      .addOption(makeControlTokenOption())
      .option('--profile <file>', "the run's profile (default: plumbline.yaml)", parseText)
      .addOption(makeTimeoutOption())
      .option('--allow-destructive', 'delete on a target that is not on loopback', false);
    return async (flags) => (await import('./clean.js')).clean(flags);
  },

  observe(command) {
    command
      .description(
        'judge recorded traffic (HAR 1.2 or newline-delimited JSON, optionally gzipped); sends nothing',
      )
      .argument('<file...>', 'recordings; - reads standard input', parseRepeated)
      .option(
        '--target <url>',
        'base URL of the exchanges to judge (default: the only recorded one ending in /v1)',
        parseUrl,
      );
    addReportFlags(addTrafficFlags(addSelectionFlags(command)));
    return async (files, flags) => (await import('./observe.js')).observe(files, flags);
  },

  proxy(command) {
    command
      .description('pass traffic on to a target and judge it on the way, until Ctrl+C')
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
      .option(
        '--annotate',
        'add the header X-Plumbline to short responses: the requirements that they violate',
        false,
      )
      .option('--record <file>', 'write what passed as a HAR, secrets redacted', parseText);
    addReportFlags(addHistoryFlags(addTlsFlags(addTrafficFlags(addSelectionFlags(command)))));
    return async (flags) => (await import('./proxy.js')).runProxy(flags);
  },

  serve(command) {
    command
      .description('run the embedded reference server, or one of its mutants or variants')
      .option('--port <n>', 'port to listen on; 0 picks a free one', parsePort, 4010)
      .option('--host <address>', 'address to listen on', parseText, '127.0.0.1')
      .addOption(makeControlTokenOption('token that control calls must carry'))
      .option('--mutant <id>', 'run a mutant: the reference with one violation', parseText)
      .option('--variant <id>', 'run a variant: the reference with one permitted difference', parseText);
    return async (flags) => (await import('./serve.js')).serve(flags);
  },

  prove(command) {
    command
      .description('show that the suite can be trusted: every mutant caught, no variant failed')
      .addOption(makeRepeatable('--only <glob>', 'IDs of mutants and variants', 'all'))
      .option('--all', 'judge the whole catalogue, each server to the end; takes long', false)
      .option('--list', 'print the mutants and variants without judging them', false)
      .addOption(makeDepthOption())
      .option('--seed <n>', 'seed of every generated case (default: random)', parseSeed)
      .option('--seeds <k>', 'number of seeds, counting up from the first', parseSeedCount, 1)
      .option('--jobs <n>', 'servers judged at a time (default: one more than cores)', parseCount)
      .option('--report <dir>', 'folder for proof.json and proof.md', parseText, 'plumbline-proof')
      .option('-q, --quiet', 'print the result only', false)
      .addOption(makeColorOption());
    return async (flags) => (await import('./prove.js')).prove(flags);
  },

  report(command) {
    command
      .description('render the reports of a run again, also of a run that was killed')
      .requiredOption('--from <dir>', 'folder of the run, or its report.json', parseText)
      .option('--report <dir>', 'folder for the reports (default: the same folder)', parseText);
    addFormatFlags(command);
    return async (flags) => (await import('./report.js')).report(flags);
  },

  merge(command) {
    command
      .description('merge the reports of all shards of a run into one')
      .argument('<dir...>', 'reports of all shards: folders, or report.json files', parseRepeated);
    addReportFlags(command);
    return async (paths, flags) => (await import('./merge.js')).merge(paths, flags);
  },

  compare(command) {
    command
      .description('compare two reports: new violations, fixed ones, lost and gained coverage')
      .argument('<old>', 'report to compare with, or its folder', parseText)
      .argument('<new>', 'report to compare, or its folder', parseText)
      .addOption(
        new Option(
          '--fail-on <what>',
          'also exit with 1 on this, besides new violations: lost-coverage, flaky; repeatable',
        )
          .argParser(parseStopper)
          .default([], 'none'),
      );
    addOutputFlags(command, 'text', 'html', 'json', 'markdown');
    return async (before, after, flags) =>
      (await import('./compare.js')).compare({ ...flags, old: before, new: after });
  },

  trend(command) {
    command
      .description('chart the last runs of a history file')
      .argument('<file>', 'file that run --history appends to', parseText)
      .option('--last <n>', 'number of runs', parseCount, 30);
    addOutputFlags(command, 'text', 'html', 'json');
    return async (file, flags) => (await import('./trend.js')).trend({ ...flags, file });
  },

  requirements(command) {
    command
      .description('print the requirements: ID, section, level, what it takes to test each')
      .option('--json', 'print them as JSON', false);
    addSelectionFlags(command);
    return async (flags) => (await import('./requirements.js')).requirements(flags);
  },

  explain(command) {
    command
      .description('explain a requirement: what the document says, how it is checked, how to fix a server')
      .argument('<id>', 'requirement ID', parseText);
    return async (id) => (await import('./explain.js')).explain(id);
  },

  completion(command) {
    command
      .description('print a script that completes commands, flags and requirement IDs in a shell')
      .addArgument(new Argument('<shell>', 'shell').choices(shells));
    return async (shell) => (await import('./completion.js')).printCompletion(shell);
  },
};

function buildProgram(): Command {
  const plumbline = new Command('plumbline')
    .description('Checks a server against the Intern Vault, Guardrail Read and Limits interface.')
    .version(toolVersion)
    .showHelpAfterError('(plumbline --help lists the commands)')
    .hook('preAction', (_, command) => {
      if (process.env.NO_COLOR !== undefined) command.setOptionValue('color', false);
    });
  for (const [name, define] of Object.entries(commands)) {
    const command = plumbline.command(name);
    setAction(command, define(command));
  }
  const complete = plumbline
    .command('complete', { hidden: true })
    .argument('[words...]', 'the words after the name of the command; the last one is to be completed');
  setAction(complete, async (words) => (await import('./completion.js')).complete(plumbline, words));
  return plumbline;
}

function setAction(command: Command, run: Action): void {
  command.action(async (...given) => {
    process.exitCode = await run(...given);
  });
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

/** Runs the command that the arguments of this process name, and sets the exit code. */
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
    await plumbline.parseAsync();
  } catch (error) {
    process.exitCode = reportError(error, explainLoadError);
  }
  exitSoon();
}

/** Takes the value of a mistyped flag, which may be a secret, out of a message of commander. */
function removeFlagValue(text: string): string {
  return text.replace(/(unknown option '--[\w-]+)=[^\n]*'/, "$1'");
}

function reportError(error: unknown, explainLoadError: ExplainLoadError): number {
  // Commander has printed its own already; help and version end with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  const isUsage = error instanceof UsageError;
  const message = (isUsage ? undefined : explainLoadError(error)) ?? messageOf(error);
  process.stderr.write(`plumbline: ${sanitizeLines(message)}\n`);
  return isUsage ? exitCodes.usage : exitCodes.suiteFault;
}
