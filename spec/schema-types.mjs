/**
 * Writes a JSON Schema as TypeScript: a type for the whole and for each definition of an object. Members with a default are
 * there, since readers fill it in.
 * @param imported the types that are written elsewhere, by the name of their definition
 */
export function writeTypes({ $defs, ...schema }, { root, nameOf, imported = {} }) {
  const isObject = (name) => 'properties' in $defs[name] && !(name in imported);
  const typeOf = ({ $ref: ref, type, enum: values, const: value, anyOf, ...more }) => {
    const name = ref?.replace('#/$defs/', '');
    if (name !== undefined) return imported[name] ?? (isObject(name) ? nameOf(name) : typeOf($defs[name]));
    if (type !== undefined)
      return [type]
        .flat()
        .map((one) => writers[one]?.(more) ?? one)
        .join(' | ');
    if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ');
    const literals = values ?? (value === undefined ? undefined : [value]);
    return literals?.map((one) => JSON.stringify(one)).join(' | ') ?? 'unknown';
  };
  const writers = {
    integer: () => 'number',
    array: ({ items, prefixItems }) =>
      prefixItems ? `readonly [${prefixItems.map(typeOf).join(', ')}]` : `readonly (${typeOf(items)})[]`,
    object: ({ properties, required = [], additionalProperties: others }) => {
      if (!properties) return `Readonly<Record<string, ${others ? typeOf(others) : 'unknown'}>>`;
      const members = Object.entries(properties).map(([name, member]) => {
        const mark = required.includes(name) || 'default' in member ? '' : '?';
        return `${describe(member)}readonly ${JSON.stringify(name)}${mark}: ${typeOf(member)};\n`;
      });
      return `{\n${members.join('')}}`;
    },
  };
  const declare = (name, one) => `${describe(one)}export type ${name} = ${typeOf(one)};\n`;
  const named = Object.keys($defs).filter(isObject);
  return [declare(root, schema), ...named.map((name) => declare(nameOf(name), $defs[name]))].join('\n');
}

function describe({ description }) {
  return description === undefined ? '' : `/** ${description} */\n`;
}
