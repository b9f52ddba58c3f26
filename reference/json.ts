/** A JSON object whose members have not been looked at yet. */
export interface JsonObject {
  [member: string]: unknown;
}

/** Whether a parsed JSON value is an object, neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
