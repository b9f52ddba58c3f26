/** Waits for all, so that nothing is under way when the attempt ends, then throws the first error there was. */
export async function together(pending: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(pending);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
