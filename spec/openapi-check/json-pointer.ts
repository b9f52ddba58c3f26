/** The JSON pointer of a member of what `parent` points at (RFC 6901). */
export function pointerTo(parent: string, ...members: readonly (string | number)[]): string {
  return members.reduce<string>((pointer, member) => `${pointer}/${escapeToken(String(member))}`, parent);
}

/** A JSON pointer as the fragment of a URI, `#` included. */
export function fragmentOf(pointer: string): string {
  return `#${pointer.split('/').map(encodeURIComponent).join('/')}`;
}

/** The JSON pointer in a reference within the document; null where the reference is of any other form. */
export function pointerInReference(reference: string): string | null {
  if (reference !== '#' && !reference.startsWith('#/')) return null;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return null;
  }
}

function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
