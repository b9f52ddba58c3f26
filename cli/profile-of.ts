import { UsageError } from '../spec/thrown.js';
import type { GivenValue } from '../targets/profile/given-values.js';
import type { Profile } from '../targets/profile/profile.js';

/** The profile of a file. Throws UsageError with a line for each fault of it. */
export async function profileOf(path: string, given: readonly GivenValue[] = []): Promise<Profile> {
  const { ProfileError, readProfile } = await import('../targets/profile/load-profile.js');
  return readProfile(path, process.env, given).catch((error: unknown) => {
    throw error instanceof ProfileError ? new UsageError(error.message) : error;
  });
}
