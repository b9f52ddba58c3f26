/** Something that the user can fix: reported in a line per fault, without a stack, with exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** Returns the message of an error; anything else that was thrown as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns the system's code of an error, such as `ENOENT`; undefined if it has none. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
}
