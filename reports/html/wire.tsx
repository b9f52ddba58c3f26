import { cutNote, inert } from './told.js';
import type { WireText } from './wire-text.js';

/** A message as it went over the wire. */
export function Wire({ message: { parts, more } }: { readonly message: WireText }) {
  return (
    <pre class="wire">
      {parts.map(({ text, marked }) => (marked ? <mark>{inert(text)}</mark> : inert(text)))}
      {cutNote(more)}
    </pre>
  );
}
