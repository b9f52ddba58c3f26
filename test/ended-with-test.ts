const running: (() => Promise<void>)[] = [];

/** Has something ended after the test that is under way. */
export function endWithTest(end: () => Promise<void>): void {
  running.push(end);
}

/** Ends what the test started. */
export async function endAll(): Promise<void> {
  await Promise.all(running.splice(0).map((end) => end()));
}
