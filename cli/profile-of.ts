import { UsageError } from '../spec/thrown.js';
import type { Profile } from '../targets/profile/profile.js';

/** The profile of a file. Throws UsageError with a line for each fault of it. */
export async function profileOf(path: string): Promise<Profile> {
  const { ProfileError, readProfile } = await import('../targets/profile/read-profile.js');
  return readProfile(path, process.env).catch((error: unknown) => {
    throw error instanceof ProfileError ? new UsageError(error.message) : error;
  });
}
