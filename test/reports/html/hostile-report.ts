import type { Report } from '../../../spec/report.js';
import { fullReport } from './full-report.js';

/** Text that would act in a page, a terminal or a job's log, if anything of it came through. */
const hostileText = [
  '<script>window.struck = 1</script><img src=x onerror="window.struck = 2">',
  '</pre></style></script></title><svg onload=window.struck=3>',
  `" autofocus onfocus="window.struck = 4" x='`,
  ']]>--><!--&lt;&#x3c;script&#x3e;',
  '\u001b[31m\u001b]0;title\u0007',
  '\u0000\u0008\ud800 \udfff',
  '\u202eright to left\u202c\u2066\u200b\ufeff',
  '\n::error::struck\r\n\u2028\u2029',
  'javascript:window.struck=5',
].join(' ');

const long = 10 * 1024 * 1024;

// Words of the report's own, which no server can put anything into.
const own = new Set([
  'format',
  'id',
  'requirement',
  'requirements',
  'checks',
  'section',
  'level',
  'status',
  'outcome',
  'verdict',
  'depth',
]);

/** A report with hostile text wherever a server can put some, and 10 MB of it in a message and in a body. */
export function hostileReport(): Report {
  let lengthened = 0;
  const poisoned = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') {
      const isLong = (name === 'message' || name === 'body') && lengthened++ < 2;
      return `${value}${hostileText}${isLong ? 'x'.repeat(long) : ''}`;
    }
    if (Array.isArray(value))
      return value.map((one) => (typeof one === 'object' ? member(one) : poisoned(one, name)));
    return typeof value === 'object' && value !== null ? member(value) : value;
  };
  const member = (value: object): unknown =>
    Array.isArray(value)
      ? poisoned(value, '')
      : Object.fromEntries(
          Object.entries(value).map(([name, one]) => {
            const rows = (name === 'requirements' || name === 'checks') && typeof one[0] === 'object';
            return [name, own.has(name) && !rows ? one : poisoned(one, name)];
          }),
        );
  const report = member(fullReport()) as Report;
  return {
    ...report,
    checks: report.checks.map((check) => ({
      ...check,
      classes: check.classes === null ? null : { ...check.classes, [hostileText]: 3 },
    })),
  };
}
