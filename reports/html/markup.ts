// JSX of the pages: an element becomes text at once, and every text and attribute in it is escaped.

/** What an element can hold: text, markup, several of them, or nothing. */
export type Content = string | number | boolean | null | undefined | Markup | readonly Content[];

/** Markup in which everything is escaped. */
export class Markup {
  constructor(readonly html: string) {}
}

interface Attributes {
  readonly [name: string]: unknown;
  /** What the element holds in place of content, not escaped. */
  readonly dangerouslySetInnerHTML?: { readonly __html: string };
}

type Component = (props: Readonly<Record<string, unknown>>) => Content;

/** What TypeScript makes of a JSX element: `<p class="quiet">…</p>` is `h('p', { class: 'quiet' }, …)`. */
export function h(
  tag: string | Component,
  attributes: Attributes | null,
  ...children: readonly Content[]
): Markup {
  if (typeof tag !== 'string') return new Markup(renderContent(tag({ ...attributes, children })));
  const { dangerouslySetInnerHTML: raw, ...given } = attributes ?? {};
  const start = `<${tag}${Object.entries(given).map(renderAttribute).join('')}`;
  if (voidElements.has(tag)) return new Markup(`${start}/>`);
  return new Markup(`${start}>${raw?.__html ?? renderContent(children)}</${tag}>`);
}

/** Several elements without one around them: `<>…</>`. */
export function Fragment({ children }: { readonly children?: Content }): Content {
  return children;
}

const voidElements: ReadonlySet<string> = new Set(['br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'wbr']);

function renderAttribute([name, value]: readonly [name: string, value: unknown]): string {
  // `aria-hidden` and its like are words, not presence.
  const isPresence = typeof value === 'boolean' && !/^(?:aria|data)-/.test(name);
  if (value === undefined || value === null || (isPresence && !value)) return '';
  return isPresence ? ` ${name}` : ` ${name}="${escapeText(String(value))}"`;
}

function renderContent(content: Content): string {
  if (content instanceof Markup) return content.html;
  if (typeof content === 'object' && content !== null) return content.map(renderContent).join('');
  return typeof content === 'string' || typeof content === 'number' ? escapeText(String(content)) : '';
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);
}

export declare namespace h {
  export namespace JSX {
    type Element = Markup;
    type ElementType = string | ((props: never) => Content);
    interface ElementChildrenAttribute {
      children: unknown;
    }
    interface IntrinsicElements {
      readonly [tag: string]: Attributes;
    }
  }
}
