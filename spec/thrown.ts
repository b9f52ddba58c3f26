/** Something that the user can put right: told in a line for each fault, without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** What was thrown, in words: the message of an error, or whatever else it was as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The code that the system gave an error, such as `ENOENT`; undefined where it gave none. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
}
