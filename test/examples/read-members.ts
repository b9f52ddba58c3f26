/** The members that a reader of an object never looked at, as paths: what a validator does not know, it does not read. */
export function unreadMembers(value: object, read: (watched: object) => void): readonly string[] {
  const seen = new Set<string>();
  read(watched(value, '', seen));
  return paths(value, '').filter((path) => !seen.has(path));
}

function watched<Value extends object>(value: Value, path: string, seen: Set<string>): Value {
  return new Proxy(value, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return member;
      const place = `${path}/${key}`;
      seen.add(place);
      return isObject(member) ? watched(member, place, seen) : member;
    },
  });
}

function paths(value: object, path: string): readonly string[] {
  return Object.entries(value).flatMap(([key, member]) => {
    const place = `${path}/${key}`;
    return [place, ...(isObject(member) ? paths(member, place) : [])];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
