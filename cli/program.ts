import { Argument, Command, CommanderError, Option } from 'commander';
import { sanitizeLines } from '../reports/sanitize.js';
import { exitCodes } from '../spec/exit-codes.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { toolVersion } from '../spec/version.js';
import {
  parseCasePath,
  parseCount,
  parseLedgerRelease,
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
  addHistoryFlags,
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

type Arguments = Parameters<Parameters<Command['action']>[0]>;

/** Sets what a command does: something that returns the exit code. It loads its module, so that others need not. */
function setAction(command: Command, run: (...given: Arguments) => Promise<number>): void {
  command.action(async (...given) => {
    process.exitCode = await run(...given);
  });
}

type Define = (name: string, description: string) => Command;

function buildProgram(): Command {
  const plumbline = new Command('plumbline')
    .description('Checks a server against the Intern Vault, Guardrail Read and Limits interface.')
    .version(toolVersion)
    .showHelpAfterError('(plumbline --help lists the commands)')
    .hook('preAction', (_, command) => {
      if (process.env.NO_COLOR !== undefined) command.setOptionValue('color', false);
    });
  const define: Define = (name, description) => plumbline.command(name).description(description);
  for (const add of commandAdders) add(define);
  const complete = plumbline
    .command('complete', { hidden: true })
    .argument('[words...]', 'the words after the name of the command; the last one is to be completed');
  setAction(complete, async (words) => (await import('./completion.js')).complete(plumbline, words));
  return plumbline;
}

/** In the order of the help. */
const commandAdders: readonly ((define: Define) => void)[] = [
  addRun,
  addPlan,
  addDoctor,
  addInit,
  addReplay,
  addClean,
  addObserve,
  addProxy,
  addServe,
  addProve,
  addReport,
  addMerge,
  addCompare,
  addTrend,
  addRequirements,
  addExplain,
  addCompletion,
];

function addRun(define: Define): void {
  const run = define(
    'run',
    'judge a server and write the reports (default target: plumbline.yaml here)',
  ).argument('[url]', 'same as --target', parseUrl);
  addTlsFlags(addSendingFlags(addDescriptionFlags(addSelectionFlags(run))))
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
  addRecordingFlags(run);
  addGateFlags(run);
  addReportFlags(addHistoryFlags(run))
    .option('-v, --verbose', 'print each exchange on standard error, with every secret redacted', false)
    .option('--json', 'print report.json on standard output, and everything else on standard error', false);
  setAction(run, async (url, given) => {
    const { chooseTarget, startEmbedded } = await import('./target.js');
    const flags = chooseTarget('run', given, url);
    await using embedded = flags.reference ? startEmbedded() : undefined;
    return await (await import('./run.js')).run(flags, embedded);
  });
}

/** Adds the flags of `run` about recorded traffic. */
function addRecordingFlags(run: Command): void {
  run
    .addOption(makeRepeatable('--observed <file>', 'recorded traffic to use as evidence', 'none'))
    .option(
      '--observed-target <url>',
      'base URL of the recorded exchanges that count (default: the only recorded one ending in /v1)',
      parseUrl,
    )
    .option(
      '--canary-file <file>',
      'secret values that no recorded response may contain, one per line',
      parseText,
    );
}

/** Adds the flags of `run` that say what the gate lets pass. */
function addGateFlags(run: Command): void {
  run
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
}

function addPlan(define: Define): void {
  const plan = define('plan', 'show what run would send: requests, writes, duration; sends nothing');
  addSendingFlags(addDescriptionFlags(addAddress(addSelectionFlags(plan))))
    .option('--reference', 'show what run --reference would send', false)
    .addOption(makeColorOption());
  setAction(plan, async (url, given) => {
    const [{ plan }, { chooseTarget }] = await Promise.all([import('./plan.js'), import('./target.js')]);
    return plan(chooseTarget('plan', given, url));
  });
}

function addDoctor(define: Define): void {
  const doctor = define(
    'doctor',
    'try a URL, keys and a profile: what works, what is missing and what it would unlock',
  );
  addTlsFlags(addDescriptionFlags(addAddress(doctor)))
    .option('--profile <file>', 'profile to try (default: plumbline.yaml)', parseText)
    .addOption(makeTimeoutOption())
    .option(
      '--allow-destructive',
      'store and delete its own secrets on a target that is not on loopback',
      false,
    )
    .addOption(makeColorOption());
  setAction(doctor, async (url, given) => {
    const [{ doctor }, { chooseTarget }] = await Promise.all([import('./doctor.js'), import('./target.js')]);
    return doctor(chooseTarget('doctor', given, url));
  });
}

function addInit(define: Define): void {
  const init = define('init', 'write a commented profile')
    .argument('[file]', 'file to write', parseText, 'plumbline.yaml')
    .option('--force', 'overwrite an existing file', false);
  setAction(init, async (file, flags) => (await import('./init.js')).init(file, flags));
}

function addReplay(define: Define): void {
  const replay = define('replay', 'send a finding of a report again, step by step');
  addTlsFlags(addDescriptionFlags(replay))
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
  setAction(replay, async (report, number, flags) =>
    (await import('./replay.js')).replay({ ...flags, report, number }),
  );
}

function addClean(define: Define): void {
  const clean = define('clean', 'remove the worlds and secrets that a run left on its target');
  addDescriptionFlags(clean)
    .requiredOption('--from <dir>', 'folder of the run, or its report.json', parseText)
    .option('--target <url>', "the run's base URL, if it was given one", parseUrl)
    .option('--control <url>', "the control protocol of the run's target", parseUrl)
    .addOption(makeControlTokenOption())
    .option('--profile <file>', "the run's profile (default: plumbline.yaml)", parseText)
    .addOption(makeTimeoutOption())
    .option('--allow-destructive', 'delete on a target that is not on loopback', false);
  setAction(clean, async (flags) => (await import('./clean.js')).clean(flags));
}

function addObserve(define: Define): void {
  const observe = define(
    'observe',
    'judge recorded traffic (HAR 1.2 or newline-delimited JSON, optionally gzipped); sends nothing',
  )
    .argument('<file...>', 'recordings; - reads standard input', parseRepeated)
    .option(
      '--target <url>',
      'base URL of the exchanges to judge (default: the only recorded one ending in /v1)',
      parseUrl,
    );
  addReportFlags(addTrafficFlags(addSelectionFlags(observe)));
  setAction(observe, async (files, flags) => (await import('./observe.js')).observe(files, flags));
}

function addProxy(define: Define): void {
  const proxy = define('proxy', 'pass traffic on to a target and judge it on the way, until Ctrl+C')
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
  addReportFlags(addHistoryFlags(addTlsFlags(addTrafficFlags(addSelectionFlags(proxy)))));
  setAction(proxy, async (flags) => (await import('./proxy.js')).runProxy(flags));
}

function addServe(define: Define): void {
  const serve = define('serve', 'run the embedded reference server, or one of its mutants or variants')
    .option('--port <n>', 'port to listen on; 0 picks a free one', parsePort, 4010)
    .option('--host <address>', 'address to listen on', parseText, '127.0.0.1')
    .addOption(makeControlTokenOption('token that control calls must carry'))
    .option('--mutant <id>', 'run a mutant: the reference with one violation', parseText)
    .option('--variant <id>', 'run a variant: the reference with one permitted difference', parseText);
  setAction(serve, async (flags) => (await import('./serve.js')).serve(flags));
}

function addProve(define: Define): void {
  const prove = define('prove', 'show that the suite can be trusted: every mutant caught, no variant failed')
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
  setAction(prove, async (flags) => (await import('./prove.js')).prove(flags));
}

function addReport(define: Define): void {
  const report = define('report', 'render the reports of a run again, also of a run that was killed')
    .requiredOption('--from <dir>', 'folder of the run, or its report.json', parseText)
    .option('--report <dir>', 'folder for the reports (default: the same folder)', parseText);
  setAction(addFormatFlags(report), async (flags) => (await import('./report.js')).report(flags));
}

function addMerge(define: Define): void {
  const merge = define('merge', 'merge the reports of all shards of a run into one').argument(
    '<dir...>',
    'reports of all shards: folders, or report.json files',
    parseRepeated,
  );
  setAction(addReportFlags(merge), async (paths, flags) => (await import('./merge.js')).merge(paths, flags));
}

function addCompare(define: Define): void {
  const compare = define(
    'compare',
    'compare two reports: new violations, fixed ones, lost and gained coverage',
  )
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
  setAction(addOutputFlags(compare, 'text', 'html', 'json', 'markdown'), async (before, after, flags) =>
    (await import('./compare.js')).compare({ ...flags, old: before, new: after }),
  );
}

function addTrend(define: Define): void {
  const trend = define('trend', 'chart the last runs of a history file')
    .argument('<file>', 'file that run --history appends to', parseText)
    .option('--last <n>', 'number of runs', parseCount, 30);
  setAction(addOutputFlags(trend, 'text', 'html', 'json'), async (file, flags) =>
    (await import('./trend.js')).trend({ ...flags, file }),
  );
}

function addRequirements(define: Define): void {
  const requirements = define(
    'requirements',
    'print the requirements: ID, section, level, what it takes to test each',
  ).option('--json', 'print them as JSON', false);
  setAction(addSelectionFlags(requirements), async (flags) =>
    (await import('./requirements.js')).requirements(flags),
  );
}

function addExplain(define: Define): void {
  const explain = define(
    'explain',
    'explain a requirement: what the document says, how it is checked, how to fix a server',
  ).argument('<id>', 'requirement ID', parseText);
  setAction(explain, async (id) => (await import('./explain.js')).explain(id));
}

function addCompletion(define: Define): void {
  const completion = define(
    'completion',
    'print a script that completes commands, flags and requirement IDs in a shell',
  ).addArgument(new Argument('<shell>', 'shell').choices(shells));
  setAction(completion, async (shell) => (await import('./completion.js')).printCompletion(shell));
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
