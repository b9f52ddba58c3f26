import type { Selection } from '../judge/plan.js';
import type { Waiver } from '../judge/waivers.js';
import { UsageError } from '../spec/thrown.js';

/** The waivers of a file. Throws UsageError with a line for each fault of it. */
export async function waiversOf(path: string, selection: Selection): Promise<readonly Waiver[]> {
  const { readWaivers, WaiversError } = await import('../judge/waivers.js');
  const reading = { selects: selection.has.bind(selection), today: dayOf(new Date()) };
  return readWaivers(path, reading).catch((error: unknown) => {
    throw error instanceof WaiversError ? new UsageError(error.message) : error;
  });
}

/** The day of an instant in UTC, `2030-01-31`. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
