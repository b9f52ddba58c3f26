import { prepareFolder } from '../reports/report-folder.js';
import { messageOf } from '../spec/thrown.js';
import { UsageError } from './usage-error.js';

/** Makes the folder of a command's reports ready. Throws UsageError where it cannot hold them. */
export async function folderFor(directory: string): Promise<void> {
  await prepareFolder(directory).catch((error: unknown) => {
    throw new UsageError(messageOf(error));
  });
}
