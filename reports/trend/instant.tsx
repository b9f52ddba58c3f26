import type { JSX } from 'preact';
import { instantText } from './trend-words.js';

/** An instant as a person reads it, and as a program does. */
export function Instant({ at }: { readonly at: string }): JSX.Element {
  const [day, time] = instantText(at).split(' ');
  return (
    <time dateTime={at}>
      <span class="whole">{day}</span> {time}
    </time>
  );
}
