import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { reason } from '../../yaml/file-text.js';
import type { YamlFault } from '../../yaml/place.js';
import type { ProfileDraft } from '../draft.js';

/** The members of `tls` that name files. */
export const tlsFiles = ['ca', 'cert', 'key'] as const;

/** The files of `tls` are there and can be read; their paths are relative to `folder`. */
export async function tlsFaults(draft: ProfileDraft, folder: string): Promise<readonly YamlFault[]> {
  const faults = await Promise.all(
    tlsFiles.map(async (member) => {
      const path = draft.text('tls', member);
      if (path === undefined || path.trim() === '') return [];
      const trouble = await unreadable(resolve(folder, path));
      return trouble === undefined ? [] : [{ place: ['tls', member], message: `its file ${trouble}` }];
    }),
  );
  return faults.flat();
}

/** Why a file cannot be read; undefined where it can. */
async function unreadable(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    // A folder can be opened, but not read.
    await file.read(Buffer.alloc(1), 0, 1).finally(() => file.close());
    return undefined;
  } catch (error) {
    return reason(error);
  }
}
