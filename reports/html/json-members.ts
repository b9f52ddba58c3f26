/** A member of an object in a JSON text. */
export interface JsonMember {
  /** The names that lead to it, without the places in arrays: `choices.index`. */
  readonly path: string;
  /** Where it begins in the text. */
  readonly from: number;
  /** Where it ends: after its value, or after its name where the value is an object or an array. */
  readonly to: number;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/** The members of the objects in a text, which may be cut short, broken, or no JSON at all. */
export function jsonMembers(text: string): readonly JsonMember[] {
  const members: JsonMember[] = [];
  const containers: { readonly name: string | undefined; readonly array: boolean }[] = [];
  let name: { readonly text: string; readonly from: number; readonly to: number } | undefined;
  let last: { readonly text: string; readonly from: number; readonly to: number } | undefined;
  for (const { 0: found, index: from } of text.matchAll(token)) {
    const here = { text: found, from, to: from + found.length };
    const within = containers.at(-1);
    const pathOf = (own: string): string => [...containers.flatMap((one) => one.name ?? []), own].join('.');
    if (found === ':' && last?.text.startsWith('"') === true && within?.array === false) {
      name = { ...last, text: last.text.slice(1, -1) };
    } else if (found === '{' || found === '[') {
      if (name !== undefined) members.push({ path: pathOf(name.text), from: name.from, to: name.to });
      containers.push({ name: name?.text, array: found === '[' });
      name = undefined;
    } else if (found === '}' || found === ']') {
      containers.pop();
      name = undefined;
    } else if (found !== ',' && found !== ':' && name !== undefined) {
      members.push({ path: pathOf(name.text), from: name.from, to: here.to });
      name = undefined;
    }
    last = here;
  }
  return members;
}
