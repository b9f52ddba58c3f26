import type { Traffic } from '../../spec/journal.js';
import type { Report } from '../../spec/report.js';
import { fullReport } from './html/full-report.js';
import { countTotals } from './sample-report.js';

/** Texts that a server may send to break, fool or act on what shows them, by what they are. */
export const hostileTexts = {
  'a workflow command': '::error::x',
  'an encoded workflow command': '%0A::error::x',
  'an older workflow command': '##[error]x',
  'a script': '<script>window.struck=1</script>',
  'an end of a script': '</script><!--',
  'an attribute that ends early': `"><img src=x onerror=window.struck=2>`,
  'an attribute that ends early, in single quotes': `' autofocus onfocus=window.struck=3 x='`,
  'an address that is a script': 'javascript:window.struck=4',
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

/** 10 MB, hostile where they begin and where they end. */
function tenMegabytes(): string {
  return `${everyHostileText}${'A'.repeat(10_000_000)}${everyHostileText}`;
}

/** The violation whose message is the longest text of a hostile report. */
export const longestViolated = 'vault-delete.404.other-intern';

export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}

/** A report of what did not pass, with a text in every place that a server can fill, and `longest` in one message. */
export function hostileReport(text: string = everyHostileText, longest: string = tenMegabytes()): Report {
  const { requirements, checks, ...rest } = fullReport();
  const rows = requirements.filter(({ status }) => status !== 'pass');
  const left = checks.filter(({ outcome }) => outcome !== 'pass');
  const report = { ...rest, totals: countTotals(rows), requirements: rows, checks: left };
  const poisoned = poison(report, text) as Report;
  return {
    ...poisoned,
    checks: poisoned.checks.map((check) => {
      const { id, failure } = check;
      if (id !== longestViolated || failure === null) return check;
      return { ...check, failure: { ...failure, message: longest, actual: longest } };
    }),
  };
}

// What no server can put a text into.
const own: ReadonlySet<string> = new Set([
  ...['format', 'tool', 'document', 'id', 'shard', 'started_at', 'depth', 'verdict', 'requirement', 'checks'],
  ...['section', 'level', 'status', 'statement', 'requirements', 'title', 'outcome', 'reason_code', 'origin'],
  ...['confirmed', 'at', 'mismatch', 'waived', 'excused', 'newer'],
]);

function poison(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((one) => poison(one, text));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => {
    if ((name === 'counterexample' || name === 'classes') && one !== null)
      return [name, nameBadly(text, one)];
    // These begin with words of the suite.
    if (name === 'curl' || name === 'command') return [name, `${name} ${text}`];
    const isList = Array.isArray(one) && typeof one[0] === 'object';
    return [name, own.has(name) && !isList ? one : poison(one, text)];
  });
  return Object.fromEntries(entries);
}

/** Members of names that an object may already have, or that are its prototype. */
function nameBadly(text: string, like: object): object {
  const value = Object.values(like).some((one) => typeof one === 'number') ? 3 : text;
  const names = [text, '__proto__', 'constructor', 'toString', 'hasOwnProperty', ''];
  return Object.fromEntries(names.map((name) => [name, value]));
}

/** The traffic of a hostile server: an answer, one that is cut, and a lost one, with and without a check. */
export function hostileTraffic(text: string = everyHostileText): Traffic {
  const { checks } = hostileReport(text, text);
  const sent = checks.flatMap(({ failure, attempts }) => [
    ...(failure?.exchanges ?? []),
    ...attempts.flatMap(({ exchanges }) => exchanges),
  ]);
  return {
    exchanges: sent.map((exchange, at) => ({ ...exchange, check: at % 2 === 0 ? text : null, label: text })),
    sent: 1234,
  };
}
