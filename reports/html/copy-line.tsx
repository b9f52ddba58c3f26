import { inert } from './told.js';

/** A line to be copied into a shell, whole, with a button that does it. */
export function CopyLine({ label, line }: { readonly label: string; readonly line: string }) {
  const copied = line.length <= longest;
  return (
    <div class="copy-line">
      <span class="label">{label}</span>
      <pre>
        <code>{copied ? inert(line.replaceAll('\n', '⏎')) : 'It is too long for this page.'}</code>
      </pre>
      {copied && (
        <button type="button" data-copy data-control hidden>
          Copy {label}
        </button>
      )}
    </div>
  );
}

// Names of 70,000 characters are sent; what is longer than any of them stays in report.json.
const longest = 200_000;
