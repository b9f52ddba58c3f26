import { CutNote, Inert } from './told.js';
import type { WireText } from './wire-text.js';

/** A message as it went over the wire. */
export function Wire({ label, message }: { readonly label: string; readonly message: WireText }) {
  return (
    <figure class="wire">
      <figcaption>{label}</figcaption>
      <pre>
        {message.parts.map(({ text, marked }) =>
          marked ? (
            <mark>
              <Inert text={text} />
            </mark>
          ) : (
            <Inert text={text} />
          ),
        )}
        <CutNote more={message.more} />
      </pre>
    </figure>
  );
}
