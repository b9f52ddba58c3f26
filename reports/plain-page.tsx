import type { ComponentChildren, JSX } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import { makeContentPolicy } from './content-policy.js';

/** Renders a page that stands by itself: no script, nothing fetched. */
export function renderPlainPage(title: string, children: ComponentChildren): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={makeContentPolicy(style)} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>{title}</title>
        {/* Escaped, it would be another text than the one that the policy permits. */}
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <main>{children}</main>
      </body>
    </html>
  );
  return `<!doctype html>\n${renderToStaticMarkup(page)}\n`;
}

interface TableProps {
  readonly headings: readonly string[];
  /** The headings of columns of numbers. */
  readonly numbers?: readonly string[];
  readonly children: ComponentChildren;
}

/** A table with a heading for each column. */
export function Table({ headings, numbers = [], children }: TableProps): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col" class={numbers.includes(heading) ? 'number' : undefined}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** Light and dark; one column where the window is narrow. */
const style = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --card: #f6f7f9; --text: #1b1f24; --quiet: #57606a; --rule: #d5dae0;
  --conformant: #1a7f37; --non-conformant: #c32026; --incomplete: #8a5a00; --unjudged: #8250df;
  --line: #0b62c4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --card: #181d24; --text: #e4e9ef; --quiet: #9aa5b1; --rule: #323b46;
    --conformant: #4ac26b; --non-conformant: #ff7b72; --incomplete: #e3b341; --unjudged: #c297ff;
    --line: #6cb2ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 62rem;
  background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
}
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
p { margin: .25rem 0; }
.quiet { color: var(--quiet); }
.warning { border-left: .25rem solid var(--incomplete); padding-left: .75rem; overflow-wrap: anywhere; }
.conformant { color: var(--conformant); }
.non-conformant { color: var(--non-conformant); }
.incomplete { color: var(--incomplete); }
.unjudged { color: var(--unjudged); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .75rem; background: var(--card); border-radius: .5rem; }
figcaption { display: flex; justify-content: space-between; align-items: baseline; gap: .75rem; }
figcaption b { font-size: 1.35rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--quiet); font: 11px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--rule); stroke-width: 1; }
.line { fill: none; stroke: var(--line); stroke-width: 1.5; }
.dot { fill: var(--line); stroke: var(--line); stroke-width: 1.5; }
.line.failed, .dot.failed { stroke: var(--non-conformant); }
.dot.failed { fill: var(--non-conformant); }
.line.no-result, .dot.no-result { stroke: var(--incomplete); }
.dot.no-result { fill: var(--incomplete); }
.dot.partial { fill: var(--card); }
.strip { list-style: none; margin: .5rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem; }
.strip li {
  width: 1.75rem; height: 1.75rem; border: 2px solid currentColor; border-radius: .3rem; display: grid; place-items: center;
  font-weight: 700; line-height: 1;
}
.strip li.early { border-style: dashed; }
.strip a { color: inherit; text-decoration: none; }
a { color: var(--line); }
.label { font-family: ui-monospace, monospace; font-size: .875rem; }
.legend { font-size: .875rem; color: var(--quiet); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--rule); }
th { font-weight: 600; }
thead th { border-top: 0; color: var(--quiet); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.whole { white-space: nowrap; }
.id { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: break-word; }
td p { overflow-wrap: anywhere; }
.statement { font-weight: 400; }
.failure + .failure { margin-top: .75rem; }
pre { margin: .25rem 0; padding: .5rem; background: var(--card); white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: 1rem 0; }
summary { cursor: pointer; }
.marks { display: block; font-family: ui-monospace, monospace; overflow-wrap: anywhere; letter-spacing: .15em; margin-top: .15rem; }
.marks .violated { color: var(--non-conformant); font-weight: 700; }
.marks .held { color: var(--conformant); }
.marks .undecided { color: var(--incomplete); }
.marks .not-judged { color: var(--quiet); }
@media (max-width: 30rem) {
  th, td { padding-right: .6rem; }
  .marks { letter-spacing: .05em; }
}
`;
