import { durationText } from '../../reports/amount-text.js';
import type { AddressExam } from '../../targets/diagnosis/address.js';
import type { ProfileFinding } from '../../targets/diagnosis/probe-client.js';
import { header } from '../../targets/exchange.js';

/** Milliseconds that two clocks may differ by. */
const differAtMostMs = 30_000;

/** Compares the clock of the target, as `Date` tells it, with this machine's; nothing where it tells none. */
export function examineClock({ answer, askedAt }: AddressExam): readonly ProfileFinding[] {
  const theirs = Date.parse((answer === undefined ? undefined : header(answer, 'date')) ?? '');
  if (Number.isNaN(theirs)) return [];
  const skewMs = theirs - askedAt;
  const what = 'clock';
  if (Math.abs(skewMs) <= differAtMostMs)
    return [{ what, state: 'ok', text: 'the target and this machine agree on the time' }];
  return [
    {
      what,
      state: 'wrong',
      text: `the clock of the target is ${durationText(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} that of this machine; days, minutes and Retry-After are judged by it`,
      todo: 'Set the clock that is wrong',
    },
  ];
}
