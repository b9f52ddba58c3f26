/** What a test runner hands to a test. */
export interface TestContext {
  /** Says that the test was skipped, and why. */
  skip(reason?: string): void;
  /** Aborted when the test is to end; vitest has it since 3.2. */
  readonly signal?: AbortSignal;
}

/** A test runner's `test`: that of vitest 3 or 4, or of node:test. */
export type TestFunction = (
  name: string,
  options: { readonly timeout: number },
  body: (context: TestContext) => Promise<void>,
) => unknown;

/** Says that a test was skipped, and why. */
export type Skip = (reason: string) => void;

/** Registers one test with either runner. @param timeoutMs milliseconds that it may take */
export function register(
  test: TestFunction,
  name: string,
  timeoutMs: number,
  body: (skip: Skip, signal: AbortSignal) => Promise<void>,
): void {
  // A `test` of vitest that was extended reads from a body's own text what it is to be given; node:test's context
  // cannot be taken apart.
  const ofVitest = ({ skip, signal }: TestContext) => body((reason) => skip(reason), signalOf(signal));
  const ofNode = (context: TestContext) => body((reason) => context.skip(reason), signalOf(context.signal));
  test(name, { timeout: timeoutMs }, 'extend' in test ? ofVitest : ofNode);
}

function signalOf(signal: AbortSignal | undefined): AbortSignal {
  return signal ?? new AbortController().signal;
}
