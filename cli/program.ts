import { Command, CommanderError, Help, type Option } from 'commander';
import { sanitizeLines } from '../reports/sanitize.js';
import { exitCodes } from '../spec/exit-codes.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { toolVersion } from '../spec/version.js';
import { addArguments, addFlags, type Row } from './flag-rows.js';
import { parseCount, parseRepeated, parseUrl } from './flag-values.js';
import * as flagRows from './flags.js';
import { exitSoon, handleOutputErrors } from './process-lifetime.js';

/** A command: what the help says of it, and its action, which loads its module and returns the exit code. */
interface CommandRow {
  readonly description: string;
  readonly args?: readonly Row[];
  readonly flags: readonly Row[];
  readonly run: (...given: Parameters<Parameters<Command['action']>[0]>) => Promise<number>;
}

const urlArgument: Row = ['[url]', 'same as --target', parseUrl];

/** In the order of the help. */
const commands: Readonly<Record<string, CommandRow>> = {
  run: {
    description: 'judge a server and write the reports (default: the target of plumbline.yaml)',
    args: [urlArgument],
    flags: flagRows.runFlags,
    run: async (url, given) => {
      const { chooseTarget, startEmbedded } = await import('./target.js');
      const flags = chooseTarget('run', given, url);
      await using embedded = flags.reference ? startEmbedded() : undefined;
      return await (await import('./run.js')).run(flags, embedded);
    },
  },

  plan: {
    description: 'show what run would send: requests, writes, duration; sends nothing',
    args: [urlArgument],
    flags: flagRows.planFlags,
    run: async (url, given) => {
      const [{ plan }, { chooseTarget }] = await Promise.all([import('./plan.js'), import('./target.js')]);
      return plan(chooseTarget('plan', given, url));
    },
  },

  doctor: {
    description: 'try a URL, keys and a profile: what works, what is missing and what it would unlock',
    args: [urlArgument],
    flags: flagRows.doctorFlags,
    run: async (url, given) => {
      const [{ doctor }, { chooseTarget }] = await Promise.all([
        import('./doctor.js'),
        import('./target.js'),
      ]);
      return doctor(chooseTarget('doctor', given, url));
    },
  },

  init: {
    description: 'write a commented profile',
    args: [['[file]', 'file to write', undefined, { value: 'plumbline.yaml' }]],
    flags: flagRows.initFlags,
    run: async (file, flags) => (await import('./init.js')).init(file, flags),
  },

  replay: {
    description: 'send a violation of a report again, step by step',
    args: [
      ['<report>', 'report.json of the run, or its folder'],
      ['[n]', 'number of the violation', parseCount, { value: 1 }],
    ],
    flags: flagRows.replayFlags,
    run: async (report, number, flags) => (await import('./replay.js')).replay({ ...flags, report, number }),
  },

  clean: {
    description: 'remove the worlds and secrets that a run left on its target',
    flags: flagRows.cleanFlags,
    run: async (flags) => (await import('./clean.js')).clean(flags),
  },

  observe: {
    description:
      'judge recorded traffic (HAR 1.2 or newline-delimited JSON, optionally gzipped); sends nothing',
    args: [['<file...>', 'recordings; - reads standard input', parseRepeated]],
    flags: flagRows.observeFlags,
    run: async (files, flags) => (await import('./observe.js')).observe(files, flags),
  },

  proxy: {
    description: 'forward traffic to a target and judge it, until Ctrl+C',
    flags: flagRows.proxyFlags,
    run: async (flags) => (await import('./proxy.js')).runProxy(flags),
  },

  serve: {
    description: 'run the embedded reference server, or one of its mutants or variants',
    flags: flagRows.serveFlags,
    run: async (flags) => (await import('./serve.js')).serve(flags),
  },

  prove: {
    description: 'test the suite itself: every mutant must be caught, no variant may fail',
    flags: flagRows.proveFlags,
    run: async (flags) => (await import('./prove.js')).prove(flags),
  },

  report: {
    description: 'render the reports of a run again, even if it was killed',
    flags: flagRows.reportFlags,
    run: async (flags) => (await import('./report.js')).report(flags),
  },

  merge: {
    description: 'merge the reports of all shards of a run into one',
    args: [['<dir...>', 'reports of all shards: folders, or report.json files', parseRepeated]],
    flags: flagRows.publicationFlags,
    run: async (paths, flags) => (await import('./merge.js')).merge(paths, flags),
  },

  compare: {
    description: 'compare two reports: new violations, fixed ones, lost and gained coverage',
    args: [
      ['<old>', 'earlier report, or its folder'],
      ['<new>', 'later report, or its folder'],
    ],
    flags: flagRows.compareFlags,
    run: async (before, after, flags) =>
      (await import('./compare.js')).compare({ ...flags, old: before, new: after }),
  },

  trend: {
    description: 'chart the last runs of a history file',
    args: [['<file>', 'file that run --history appends to']],
    flags: flagRows.trendFlags,
    run: async (file, flags) => (await import('./trend.js')).trend({ ...flags, file }),
  },

  requirements: {
    description: 'list the requirements: ID, section, level, and what a target needs for each',
    flags: flagRows.requirementsFlags,
    run: async (flags) => (await import('./requirements.js')).requirements(flags),
  },

  explain: {
    description: 'explain a requirement: what the document says, how it is checked, how to fix a server',
    args: [['<id>', 'requirement ID']],
    flags: [],
    run: async (id) => (await import('./explain.js')).explain(id),
  },

  completion: {
    description: 'print a script that completes commands, flags and requirement IDs in a shell',
    args: [['<shell>', 'shell', ['bash', 'zsh', 'fish']]],
    flags: [],
    run: async (shell) => (await import('./completion.js')).printCompletion(shell),
  },
};

function buildProgram(): Command {
  const plumbline = new Command('plumbline')
    .description('Checks a server against the Intern Vault, Guardrail Read and Limits interface.')
    .version(toolVersion)
    .showHelpAfterError('(plumbline --help lists the commands)')
    .configureHelp({ optionDescription: describeOption })
    .hook('preAction', (_, command) => {
      if (process.env.NO_COLOR !== undefined) command.setOptionValue('color', false);
    });
  for (const [name, { description, args = [], flags, run }] of Object.entries(commands)) {
    const command = plumbline.command(name).description(description);
    addArguments(command, args);
    addFlags(command, flags);
    setAction(command, run);
  }
  const complete = plumbline
    .command('complete', { hidden: true })
    .argument('[words...]', 'the words after the name of the command; the last one is to be completed');
  setAction(complete, async (words) => (await import('./completion.js')).complete(plumbline, words));
  return plumbline;
}

/** Describes a flag in the help, without "(default: false)" and the preset of --bail, which its text states. */
function describeOption(option: Option): string {
  const isPlain = option.isBoolean() || option.presetArg !== undefined;
  return isPlain ? option.description : new Help().optionDescription(option);
}

function setAction(command: Command, run: CommandRow['run']): void {
  command.action(async (...given) => {
    process.exitCode = await run(...given);
  });
}

const flagValue = /(unknown option '--[\w-]+)=[^\n]*'/;

type ExplainLoadError = (error: unknown) => string | undefined;

/** Runs the command that the arguments of this process name, and sets the exit code. */
export async function main(explainLoadError: ExplainLoadError): Promise<void> {
  handleOutputErrors();
  const plumbline = buildProgram();
  for (const command of [plumbline, ...plumbline.commands])
    command
      .exitOverride()
      // The value of a mistyped flag, which commander repeats, may be a secret.
      .configureOutput({
        writeErr: (text) => process.stderr.write(sanitizeLines(text.replace(flagValue, "$1'"))),
      });
  try {
    await plumbline.parseAsync();
  } catch (error) {
    process.exitCode = reportError(error, explainLoadError);
  }
  exitSoon();
}

function reportError(error: unknown, explainLoadError: ExplainLoadError): number {
  // Commander has printed its own already; help and version end with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  const isUsage = error instanceof UsageError;
  const message = (isUsage ? undefined : explainLoadError(error)) ?? messageOf(error);
  process.stderr.write(`plumbline: ${sanitizeLines(message)}\n`);
  return isUsage ? exitCodes.usage : exitCodes.suiteFault;
}
