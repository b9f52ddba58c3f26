import { XmlDocument, XmlElement } from 'libxml2-wasm';

export interface FoundElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The elements to which an XPath leads. Throws where the text is not well-formed. */
export function findElements(xml: string, path: string): readonly FoundElement[] {
  const document = XmlDocument.fromString(xml);
  try {
    const elements = document.find(path).filter((node) => node instanceof XmlElement);
    return elements.map(({ name, attrs, content: text }) => {
      const attributes = Object.fromEntries(attrs.map((attribute) => [attribute.name, attribute.value]));
      return { name, attributes, text };
    });
  } finally {
    document.dispose();
  }
}
