import { wholeRun, writeShard } from '../judge/plan.js';
import { type Format, formats } from '../reports/formats.js';
import { parseGuardrail, parseHeader, parseIntern, parseKey } from '../targets/profile/given-values.js';
import type { FlagsOf, Row } from './flag-rows.js';
import {
  makeFormatsParser,
  parseBaseUrl,
  parseCasePath,
  parseConcurrency,
  parseCount,
  parseFile,
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
  parseUrl,
} from './flag-values.js';

const colorFlag = ['--no-color', 'print without colors'] as const satisfies Row;
/** Parsed from seconds to milliseconds. */
const timeoutFlag = [
  '--timeout <s>',
  'seconds to wait for one response',
  parseSeconds,
  { value: 10_000, words: '10' },
] as const satisfies Row;
const depthFlag = [
  '--depth <depth>',
  'how much to send',
  ['quick', 'standard', 'deep'],
  { value: 'standard' },
] as const satisfies Row;

function makeRepeatable<Typed extends string>(typed: Typed, meaning: string, none: string) {
  return [typed, `${meaning}; repeatable`, parseRepeated, { value: [], words: none }] as const;
}

function makeControlToken(meaning = 'token for the control protocol') {
  return [
    '--control-token <token>',
    `${meaning} (default: the environment variable PLUMBLINE_CONTROL_TOKEN)`,
  ] as const;
}

const tlsFlags = [
  ['--cacert <file>', 'trust these certificate authorities (PEM) instead of those of this machine'],
  ['--insecure', 'accept any certificate; the report says so'],
] as const satisfies readonly Row[];
export type TlsFlags = FlagsOf<typeof tlsFlags>;

/** What describes a target; each overrides the profile. */
export const descriptionFlags = [
  ['--key <role=value>', 'a key by its role; repeatable; also PLUMBLINE_KEY_<ROLE>', parseKey],
  ['--intern <name=uuid>', 'an intern: own, sibling or foreign; repeatable', parseIntern],
  ['--guardrail <uuid>', 'a guardrail that the management key may read', parseGuardrail],
  ["--header <'name: value'>", 'a header for every request to the target; repeatable', parseHeader],
] as const satisfies readonly Row[];

/** What to send, how fast, and what is permitted. */
const sendingFlags = [
  ['--profile <file>', 'profile of the target (default: plumbline.yaml in the working directory)'],
  depthFlag,
  ['--cases <n>', 'generated cases per property (default: by depth)', parseCount],
  ['--seed <n>', 'seed of every generated case (default: random)', parseSeed],
  [
    '--shard <i/n>',
    'run shard i of n, such as 2/3, with its share of the rate and limits',
    parseShard,
    { value: wholeRun, words: writeShard(wholeRun) },
  ],
  ['--run-id <id>', 'ID shared by all shards of a run; determines the seed unless --seed is given'],
  ['--concurrency <n>', 'requests in flight (default: 16)', parseConcurrency],
  ['--rate <n|auto>', 'maximum requests per second; auto adapts to limits (default: auto)', parseRate],
  [
    '--max-requests <n>',
    'maximum requests in total (default: 500 at depth quick, otherwise unlimited)',
    parseCount,
  ],
  ['--max-time <s>', 'maximum seconds to run; the rest is inconclusive (default: 240)', parseSeconds],
  ['--allow-destructive', 'store and delete secrets on a target that is not on loopback'],
  ['--inference', 'send inference requests, which cost money, to a target that is not on loopback'],
] as const satisfies readonly Row[];

const selectionFlags = [
  makeRepeatable('--only <glob>', 'requirement IDs to include', 'all'),
  makeRepeatable('--skip <glob>', 'requirement IDs to leave out', 'none'),
] as const satisfies readonly Row[];

/** What is known of traffic that others send. */
const trafficFlags = [
  ['--inference-path <path>', 'path of inference requests below the base URL', parseRoutePath],
  ['--canary-file <file>', 'secret values that no response may contain, one per line'],
] as const satisfies readonly Row[];

/** The flags of `run` about recorded traffic. */
const observedFlags = [
  makeRepeatable('--observed <file>', 'recorded traffic to use as evidence', 'none'),
  [
    '--observed-target <url>',
    'base URL whose recorded exchanges are judged (default: the only recorded one ending in /v1)',
    parseBaseUrl,
  ],
  ['--canary-file <file>', 'secret values that no recorded response may contain, one per line'],
] as const satisfies readonly Row[];

/** The flags of `run` about what the gate allows. */
const gateFlags = [
  ['--waivers <file>', 'known violations to allow, each until an expiry date'],
  [
    '--propose-waivers <file>',
    'write a waivers file to fill in, with an entry for each violation that fails the gate',
  ],
  ['--allow-incomplete', 'exit with 0 instead of 4 if a must requirement is inconclusive or not exercised'],
  ['--propose-policy <file>', 'write a policy to fill in that excuses what this target cannot show'],
  [
    '--ledger <version>',
    'gate on the requirements of this release only; newer ones just warn (default: all)',
    parseLedgerRelease,
  ],
] as const satisfies readonly Row[];

const historyFlags = [
  ['--history <file>', 'append a line for this run to this file; see trend'],
  ['--label <text>', 'text for the line in --history, such as the commit that was judged'],
  ['--history-link <url>', 'link for the line in --history, such as the page of the CI job', parseUrl],
] as const satisfies readonly Row[];
export type HistoryFlags = FlagsOf<typeof historyFlags>;

function makeFormatFlags(choices: readonly Format[]) {
  return [
    [
      '--format <list>',
      `formats to write: ${choices.join(', ')}`,
      makeFormatsParser(choices),
      { value: choices, words: 'all' },
    ],
    [
      '--sarif-location <file>',
      'file of your repository to attach results to, such as your OpenAPI description',
      parseFile,
    ],
    ['-q, --quiet', 'print the verdict only'],
    colorFlag,
  ] as const satisfies readonly Row[];
}

function makePublicationFlags(choices: readonly Format[]) {
  return [
    ['--report <dir>', 'folder for the reports', undefined, { value: 'plumbline-report' }],
    ...makeFormatFlags(choices),
  ] as const satisfies readonly Row[];
}

/** The flags of a command that writes reports into a folder. */
export const publicationFlags = makePublicationFlags(formats);
/** Of one that sends nothing, so that it has no traffic of its own to write as HAR. */
const trafficPublicationFlags = makePublicationFlags(formats.filter((format) => format !== 'har'));

/** The flags of a command that prints its result in a chosen format, or writes it to a file. */
function makeOutputFlags<Choice extends string>(...choices: readonly Choice[]) {
  return [
    ['--format <format>', 'output format', choices, { value: choices[0] }],
    ['--output <file>', 'file for the result (default: standard output)'],
    colorFlag,
  ] as const;
}

const addressFlag = ['--target <url>', "the server's base URL, version segment included", parseUrl] as const;

export const runFlags = [
  ...[...selectionFlags, ...descriptionFlags, ...sendingFlags, ...tlsFlags],
  [
    '--target <url>',
    "the server's base URL, version segment included (default: base_url of the control protocol)",
    parseUrl,
  ],
  ['--reference', 'judge the embedded reference server, on a free local port'],
  ['--control <url>', "the target's control protocol", parseUrl],
  makeControlToken(),
  ['--path <p>', 'send only the generated case with this path, as given in a report', parseCasePath],
  timeoutFlag,
  [
    '--bail [n]',
    'stop once n requirements that are neither advisory nor waived have failed (1 if n is omitted)',
    parseCount,
    { preset: '1' },
  ],
  ...[...observedFlags, ...gateFlags, ...historyFlags, ...publicationFlags],
  ['-v, --verbose', 'print each exchange on standard error, with every secret redacted'],
  ['--json', 'print report.json on standard output, and everything else on standard error'],
] as const satisfies readonly Row[];
export type RunFlags = FlagsOf<typeof runFlags>;

export const planFlags = [
  ...[...selectionFlags, addressFlag, ...descriptionFlags, ...sendingFlags],
  ['--reference', 'show what run --reference would send'],
  colorFlag,
] as const satisfies readonly Row[];
export type PlanFlags = FlagsOf<typeof planFlags>;

export const doctorFlags = [
  ...[addressFlag, ...descriptionFlags, ...tlsFlags],
  ['--profile <file>', 'profile to try (default: plumbline.yaml)'],
  timeoutFlag,
  ['--allow-destructive', 'store and delete a secret on a target that is not on loopback'],
  colorFlag,
] as const satisfies readonly Row[];
export type DoctorFlags = FlagsOf<typeof doctorFlags>;

export const initFlags = [['--force', 'overwrite an existing file']] as const satisfies readonly Row[];

export const replayFlags = [
  ...[...descriptionFlags, ...tlsFlags],
  ['--target <url>', "the server's base URL (default: as in the report)", parseUrl],
  ['--control <url>', "the target's control protocol (default: as in the report)", parseUrl],
  makeControlToken(),
  ['--profile <file>', 'profile of the target (default: as in the report)'],
  ['--keep', 'leave the world as it is, and print its keys as export lines'],
  ['--script <file>', 'write a Node script that shows the violation without plumbline'],
  timeoutFlag,
  ['--allow-destructive', 'store and delete on a target that is not on loopback'],
  ['--inference', 'send inference requests to a target that is not on loopback'],
] as const satisfies readonly Row[];
export type ReplayFlags = FlagsOf<typeof replayFlags>;

export const cleanFlags = [
  ...descriptionFlags,
  ['--from <dir>', 'folder of the run, or its report.json', undefined, { isRequired: true }],
  ['--target <url>', "the run's base URL, if it was run with --target", parseUrl],
  ['--control <url>', "the control protocol of the run's target", parseUrl],
  makeControlToken(),
  ['--profile <file>', "the run's profile (default: plumbline.yaml)"],
  timeoutFlag,
  ['--allow-destructive', 'delete on a target that is not on loopback'],
] as const satisfies readonly Row[];
export type CleanFlags = FlagsOf<typeof cleanFlags>;

export const observeFlags = [
  [
    '--target <url>',
    'base URL of the exchanges to judge (default: the only recorded one ending in /v1)',
    parseBaseUrl,
  ],
  ...[...selectionFlags, ...trafficFlags, ...trafficPublicationFlags],
] as const satisfies readonly Row[];
export type ObserveFlags = FlagsOf<typeof observeFlags>;

export const proxyFlags = [
  ['--target <url>', 'base URL of the target, version segment included', parseBaseUrl, { isRequired: true }],
  ['--listen <port>', 'port to listen on; 0 picks a free one', parsePort, { isRequired: true }],
  ['--host <address>', 'address to listen on', undefined, { value: '127.0.0.1' }],
  ['--max-time <s>', 'seconds to run (default: unlimited)', parseSeconds],
  ['--requests <n>', 'stop after this many judged exchanges (default: unlimited)', parseCount],
  ['--bail', 'stop at the first violation'],
  ['--annotate', 'add a header X-Plumbline to responses of up to 64 KB: the requirements that they violate'],
  ['--record <file>', 'write the traffic to a HAR file, with secrets redacted'],
  ...[...selectionFlags, ...trafficFlags, ...tlsFlags, ...historyFlags, ...trafficPublicationFlags],
] as const satisfies readonly Row[];
export type ProxyFlags = FlagsOf<typeof proxyFlags>;

export const serveFlags = [
  ['--port <n>', 'port to listen on; 0 picks a free one', parsePort, { value: 4010 }],
  ['--host <address>', 'address to listen on', undefined, { value: '127.0.0.1' }],
  makeControlToken('token that control calls must carry'),
  ['--mutant <id>', 'run a mutant: the reference with one violation'],
  ['--variant <id>', 'run a variant: the reference with one permitted difference'],
] as const satisfies readonly Row[];
export type ServeFlags = FlagsOf<typeof serveFlags>;

export const proveFlags = [
  makeRepeatable('--only <glob>', 'IDs of mutants and variants', 'the everyday ones'),
  ['--all', 'judge the whole catalogue, each server to the end (slow)'],
  ['--list', 'print the mutants and variants without judging them'],
  depthFlag,
  ['--seed <n>', 'seed of every generated case (default: random)', parseSeed],
  ['--seeds <k>', 'number of seeds, counting up from the first', parseSeedCount, { value: 1 }],
  ['--jobs <n>', 'servers judged at a time (default: one more than cores)', parseCount],
  ['--report <dir>', 'folder for proof.json and proof.md', undefined, { value: 'plumbline-proof' }],
  ['-q, --quiet', 'print the result only'],
  colorFlag,
] as const satisfies readonly Row[];
export type ProveFlags = FlagsOf<typeof proveFlags>;

export const reportFlags = [
  ['--from <dir>', 'folder of the run, or its report.json', undefined, { isRequired: true }],
  ['--report <dir>', 'folder for the reports (default: the same folder)'],
  ...makeFormatFlags(formats),
] as const satisfies readonly Row[];
export type ReportFlags = FlagsOf<typeof reportFlags>;

export const compareFlags = [
  [
    '--fail-on <what>',
    'also exit with 1 on this, besides new violations: lost-coverage, flaky; repeatable',
    parseStopper,
    { value: [], words: 'none' },
  ],
  ...makeOutputFlags('text', 'html', 'json', 'markdown'),
] as const satisfies readonly Row[];
export type CompareFlags = FlagsOf<typeof compareFlags>;

export const trendFlags = [
  ['--last <n>', 'number of runs', parseCount, { value: 30 }],
  ...makeOutputFlags('text', 'html', 'json'),
] as const satisfies readonly Row[];
export type TrendFlags = FlagsOf<typeof trendFlags>;

export const requirementsFlags = [
  ['--json', 'print them as JSON'],
  ...selectionFlags,
] as const satisfies readonly Row[];
export type RequirementsFlags = FlagsOf<typeof requirementsFlags>;
