import type { Traffic } from '../../spec/journal.js';
import {
  type Failure,
  type Report,
  type ReportedCheck,
  type ReportedExchange,
  type ReportedRequirement,
  type Status,
  statuses,
} from '../../spec/report.js';
import { eventfulReport } from './sample-report.js';

/** Texts that a server may send to break, fool or act on what shows them, by what they are. */
export const hostileTexts = {
  'a workflow command': '::error::x',
  'an encoded workflow command': '%0A::error::x',
  'an older workflow command': '##[error]x',
  'a script': '<script>alert(1)</script>',
  'an end of a script': '</script><!--',
  'an attribute that ends early': `"><img src=x onerror=alert(1)>`,
  'an attribute that ends early, in single quotes': `' autofocus onfocus=alert(1) x='`,
  'an address that is a script': 'javascript:alert(1)',
  'colours and a moved cursor': '\u001b[31mred\u001b[2J\u001b[1;1H',
  'a window title': '\u001b]0;title\u0007',
  'a link of a terminal': '\u001b]8;;https://example.com\u0007here\u001b]8;;\u0007',
  'an eight-bit control sequence': '\u009b31m',
  'the end of a CDATA section': 'before ]]> after',
  'an entity that nobody declared': '&nobody; &nbsp; &#0; &#xFFFF; &amp;lt;',
  'a document type': '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
  NUL: 'a\u0000b',
  'control characters': '\u0001\u0008\u000b\u000c\u001f\u007f\u0085',
  'lone surrogates': 'high \ud800 and low \udc00 and \udfff\ud83d',
  noncharacters: '\ufffe\uffff\u{1ffff}',
  'right-to-left marks': '\u202egpj.exe\u202c \u2066x\u2069 \u200f',
  'line ends': 'a\r\nb\rc\nd\u2028e\u2029f',
  'a byte order mark': '\ufeffx\ufeff',
  'zero-width characters': 'a\u200bb\u200dc\u00ad',
  emoji: '👩‍👩‍👧 🏳️‍🌈 ☠️',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is no template here
  'a lookup': '${jndi:ldap://example.com/x}',
  'a template': '{{7*7}} <%= 7*7 %> #{7*7}',
  'a table cell and code of Markdown': '| a | b |\n|---|---|\n```\n`x` `',
  'a picture and a mention of Markdown': '![x](https://example.com/x.png) [y](javascript:z) @everyone #1',
  'a heading and HTML of Markdown': '\n# heading\n<details open><summary>x</summary>',
  'a formula': '=HYPERLINK("https://example.com","x")',
  'a format': '%s %d %n %c color: red',
} as const;

/** All hostile texts in one. It begins with a workflow command, which acts only at the start of a line. */
export const everyHostileText = Object.values(hostileTexts).join('\n');

/** Names that an object may already have, or that are its prototype. */
export const hostileNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''] as const;

/** 10 MB in one message, hostile where it begins and where it ends. */
export function tenMegabytes(): string {
  return `${everyHostileText}${'A'.repeat(10_000_000)}${everyHostileText}`;
}

/**
 * A report with something of every kind in it, and a hostile text in every place that a server can fill. `longest` is
 * the message of one violation, and what came there.
 */
export function hostileReport(text: string = everyHostileText, longest: string = tenMegabytes()): Report {
  const report = eventfulReport();
  const requirements = report.requirements.map((row) => hostileRow(row, text));
  const failed = report.checks.find(({ outcome }) => outcome === 'fail');
  return {
    ...report,
    target: { ...report.target, base_url: `http://127.0.0.1:4010/${text}` },
    run: {
      ...report.run,
      notes: [text, text],
      left_behind: [{ scope: text, name: text, why: text }],
    },
    totals: Object.fromEntries(
      statuses.map((status) => [status, requirements.filter((row) => row.status === status).length]),
    ) as Record<Status, number>,
    requirements,
    checks: report.checks.map((check) => hostileCheck(check, text, check === failed ? longest : text)),
    silences: report.silences.map((silence) => ({ ...silence, observed: [text, ...hostileNames] })),
  };
}

function hostileRow(row: ReportedRequirement, text: string): ReportedRequirement {
  const isServersWord = row.status === 'inconclusive' || row.reason?.startsWith('would take') === true;
  return isServersWord ? { ...row, reason: text } : row;
}

function hostileCheck(check: ReportedCheck, text: string, longest: string): ReportedCheck {
  const { failure, further_failures } = check;
  return {
    ...check,
    reason: check.reason === null ? null : text,
    classes: Object.fromEntries([text, ...hostileNames].map((name, index) => [name, index + 1])),
    failure: failure && { ...hostileFailure(failure, text), message: longest, actual: longest },
    further_failures: further_failures.map((further) => hostileFailure(further, text)),
    attempts:
      check.outcome === 'pass' || check.outcome === 'skipped'
        ? []
        : [{ attempt: 1, came: text, exchanges: hostileExchanges(text) }],
  };
}

function hostileFailure(failure: Failure, text: string): Failure {
  return {
    ...failure,
    message: text,
    expected: text,
    actual: text,
    counterexample: Object.fromEntries([
      [text, text],
      ...hostileNames.map((name) => [name, { [text]: [text, null, 1, Object.fromEntries([[name, text]])] }]),
    ]),
    exchanges: hostileExchanges(text),
    reproduce: { curl: `curl -i "${text}"`, command: `plumbline run --target ${text}` },
  };
}

/** An answer with a status of no meaning, one without a status, one cut short, and a lost one. */
function hostileExchanges(text: string): readonly ReportedExchange[] {
  const headers = [
    [text, text],
    ['Content-Type', text],
    ['Location', text],
    ['Set-Cookie', text],
    ...hostileNames.map((name) => [name, text] as const),
  ] as const;
  const request = { method: 'DELETE', url: `http://127.0.0.1:4010/${text}?${text}&a=b`, headers, body: text };
  const told = { at: '2030-04-05T06:07:09Z', duration_ms: 4, request, lost: null };
  return [
    { ...told, response: { status: 999, headers, body: text, truncated: false } },
    { ...told, response: { status: 0, headers, body: text, truncated: true } },
    { ...told, request: { ...request, url: text }, response: null, lost: text },
  ];
}

/** The traffic of a hostile server, from the same exchanges, whatever checks sent them. */
export function hostileTraffic(text: string = everyHostileText): Traffic {
  const exchanges = hostileExchanges(text);
  return {
    exchanges: [
      ...exchanges.map((exchange) => ({ ...exchange, check: 'auth.bearer', label: text })),
      ...exchanges.map((exchange) => ({ ...exchange, check: null, label: text })),
    ],
    sent: 1234,
  };
}
