/** An address as HAR has it. */
export interface HarAddress {
  /** A valid URI. */
  readonly url: string;
  /** What was sent, where that is no valid URI: a malformed address is what some requests are about. */
  readonly sent: string | null;
  readonly query: readonly { readonly name: string; readonly value: string }[];
}

/** What HAR says of an address that a request was sent to. */
export function harAddress(sent: string): HarAddress {
  const url = uriOf(sent);
  return { url, sent: url === sent ? null : sent, query: queryOf(sent) };
}

const address = /^(https?:\/\/(?:[\w.~!$&'()*+,;=:-]*@)?(?:\[[\da-f:.]+\]|[\w.-]*)(?::\d*)?)([/?].*)?$/is;
// RFC 3986: what neither a path nor a query may hold; a percent sign only before two hex digits.
const illegal = /%(?![\da-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]/giu;

// Nothing of it can be told as a URI; what was sent stands beside it.
const none = 'about:invalid';

function uriOf(sent: string): string {
  const [, origin, path = ''] = address.exec(sent) ?? [];
  return origin === undefined ? none : `${origin}${path.replace(illegal, encoded)}`;
}

/** UTF-8 in percents; a lone surrogate becomes the replacement character, as on the wire. */
function encoded(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

function queryOf(sent: string): HarAddress['query'] {
  const at = sent.indexOf('?');
  if (at < 0) return [];
  return sent
    .slice(at + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return { name: decoded(name), value: decoded(value.join('=')) };
    });
}

/** A malformed percent-encoding stays as it was sent. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
