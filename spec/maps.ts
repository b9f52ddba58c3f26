/** Groups items by what they have in common, in the order in which each group begins. */
export function groupBy<Key, Item>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) getOrInsert(groups, keyOf(item), () => []).push(item);
  return groups;
}

interface Values<Key, Value> {
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): unknown;
}

/** Returns the value that a map or a weak map has for a key; if it has none, adds the value that `make` returns. */
export function getOrInsert<Key, Value>(
  map: Values<Key, Value>,
  key: Key,
  make: () => NoInfer<Value>,
): Value {
  const known = map.get(key);
  if (known !== undefined || map.has(key)) return known as Value;
  const made = make();
  map.set(key, made);
  return made;
}
