/** A JSON object whose members are not yet known. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, neither null nor an array. */
export function isJsonRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
