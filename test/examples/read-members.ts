/** The members that a reader of an object never looked at, as paths: what a validator does not know, it does not read. */
export function findUnreadMembers(value: object, read: (watched: object) => void): readonly string[] {
  const seen = new Set<string>();
  read(watch(value, '', seen));
  return listPaths(value, '').filter((path) => !seen.has(path));
}

function watch<Value extends object>(value: Value, path: string, seen: Set<string>): Value {
  return new Proxy(value, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return member;
      const place = `${path}/${key}`;
      seen.add(place);
      return isObject(member) ? watch(member, place, seen) : member;
    },
  });
}

function listPaths(value: object, path: string): readonly string[] {
  return Object.entries(value).flatMap(([key, member]) => {
    const place = `${path}/${key}`;
    return [place, ...(isObject(member) ? listPaths(member, place) : [])];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
