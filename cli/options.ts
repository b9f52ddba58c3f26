import { type Command, Option } from 'commander';
import { wholeRun, writeShard } from '../judge/plan.js';
import { formats } from '../reports/formats.js';
import {
  parseConcurrency,
  parseCount,
  parseFile,
  parseFormats,
  parseLedgerRelease,
  parseRate,
  parseRepeated,
  parseRoutePath,
  parseSeconds,
  parseSeed,
  parseShard,
  parseText,
  parseUrl,
} from './flags.js';

// The flags that several commands share.

/** Adds the URL of the target, as an argument and as a flag. */
export function addAddress(command: Command): Command {
  return command
    .argument('[url]', 'same as --target', parseUrl)
    .option('--target <url>', "the server's base URL, version segment included", parseUrl);
}

/** Adds the flags that say which certificates to trust. */
export function addTlsFlags(command: Command): Command {
  const ca = 'trust these certificate authorities (PEM) instead of those of this machine';
  return command
    .option('--cacert <file>', ca, parseText)
    .option('--insecure', 'accept any certificate; the report says so', false);
}

/** Adds the flags that say what to send, how fast, and what is permitted. */
export function addSendingFlags(command: Command): Command {
  return command
    .option(
      '--profile <file>',
      'profile of the target (default: plumbline.yaml in the working directory)',
      parseText,
    )
    .addOption(makeDepthOption())
    .option('--cases <n>', 'generated cases per property (default: by depth)', parseCount)
    .option('--seed <n>', 'seed of every generated case (default: random)', parseSeed)
    .addOption(
      new Option('--shard <i/n>', 'run shard i of n, such as 2/3, with its share of the rate and limits')
        .argParser(parseShard)
        .default(wholeRun, writeShard(wholeRun)),
    )
    .option(
      '--run-id <id>',
      'ID shared by all shards of a run; determines the seed unless --seed is given',
      parseText,
    )
    .option('--concurrency <n>', 'requests in flight (default: 16)', parseConcurrency)
    .option(
      '--rate <n|auto>',
      'maximum requests per second; auto adapts to limits (default: auto)',
      parseRate,
    )
    .option(
      '--max-requests <n>',
      'maximum requests in total (default: 500 at depth quick, otherwise unlimited)',
      parseCount,
    )
    .option('--max-time <s>', 'maximum seconds to run; the rest is inconclusive (default: 240)', parseSeconds)
    .option('--allow-destructive', 'store and delete secrets on a target that is not on loopback', false)
    .option(
      '--inference',
      'send inference requests, which cost money, to a target that is not on loopback',
      false,
    );
}

/** Adds the flags that select requirements. */
export function addSelectionFlags(command: Command): Command {
  return command
    .addOption(makeRepeatable('--only <glob>', 'requirement IDs to include', 'all'))
    .addOption(makeRepeatable('--skip <glob>', 'requirement IDs to leave out', 'none'));
}

/** Adds the flags that say what is known of traffic that others send. */
export function addTrafficFlags(command: Command): Command {
  return command
    .option('--inference-path <path>', 'path of inference requests below the base URL', parseRoutePath)
    .option('--canary-file <file>', 'secret values that no response may contain, one per line', parseText);
}

/** Adds the flags of `run` about recorded traffic. */
export function addObservedFlags(command: Command): Command {
  return command
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
export function addGateFlags(command: Command): Command {
  return command
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

/** Adds the flags that record a run in a history. */
export function addHistoryFlags(command: Command): Command {
  return command
    .option('--history <file>', 'append a line for this run to this file; see trend', parseText)
    .option('--label <text>', 'text for that line, such as the commit that was judged', parseText)
    .option('--history-link <url>', 'link for that line, such as the page of the CI job', parseUrl);
}

/** Adds the flags of a command that writes reports into a folder. */
export function addReportFlags(command: Command): Command {
  return addFormatFlags(
    command.option('--report <dir>', 'folder for the reports', parseText, 'plumbline-report'),
  );
}

/** Adds the flags that say which reports to write, and what to print. */
export function addFormatFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--format <list>', `formats to write: ${formats.join(', ')}`)
        .argParser(parseFormats)
        .default(formats, 'all'),
    )
    .option(
      '--sarif-location <file>',
      'file to attach SARIF results to, such as your OpenAPI description',
      parseFile,
    )
    .option('-q, --quiet', 'print the verdict only', false)
    .addOption(makeColorOption());
}

/** Adds the flags of a command that prints its result, or writes it to a file. */
export function addOutputFlags(command: Command, ...choices: readonly string[]): Command {
  return command
    .addOption(new Option('--format <format>', 'output format').choices(choices).default(choices[0]))
    .option('--output <file>', 'file for the result (default: standard output)', parseText)
    .addOption(makeColorOption());
}

export function makeRepeatable(flag: string, description: string, none: string): Option {
  return new Option(flag, `${description}; repeatable`).argParser(parseRepeated).default([], none);
}

export function makeDepthOption(): Option {
  return new Option('--depth <depth>', 'how much to send')
    .choices(['quick', 'standard', 'deep'])
    .default('standard');
}

export function makeControlTokenOption(description = 'token for the control protocol'): Option {
  const variable = 'default: the environment variable PLUMBLINE_CONTROL_TOKEN';
  return new Option('--control-token <token>', `${description} (${variable})`).argParser(parseText);
}

/** Given in seconds and kept in milliseconds. */
export function makeTimeoutOption(): Option {
  return new Option('--timeout <s>', 'seconds to wait for one response')
    .argParser(parseSeconds)
    .default(10_000, '10');
}

export function makeColorOption(): Option {
  return new Option('--no-color', 'print without colors');
}
