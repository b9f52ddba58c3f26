import { XmlDocument, XmlElement } from 'libxml2-wasm';

export interface FoundElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The document that was asked for last: a test asks for many parts of one. */
let last: { readonly xml: string; readonly document: XmlDocument } | undefined;

/** The elements to which an XPath leads. Throws where the text is not well-formed. */
export function findElements(xml: string, path: string): readonly FoundElement[] {
  if (last?.xml !== xml) {
    last?.document.dispose();
    last = undefined;
    last = { xml, document: XmlDocument.fromString(xml) };
  }
  const elements = last.document.find(path).filter((node) => node instanceof XmlElement);
  return elements.map(({ name, attrs, content: text }) => {
    const attributes = Object.fromEntries(attrs.map((attribute) => [attribute.name, attribute.value]));
    return { name, attributes, text };
  });
}
