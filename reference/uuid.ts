const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is written as a UUID, of any version, in either case (§4.1, §4.2). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
