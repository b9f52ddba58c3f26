import { resolve } from 'node:path';
import { fileBytes, UnreadableFile } from '../../../spec/file-text.js';
import type { YamlFault } from '../../yaml/place.js';
import type { ProfileDraft } from '../draft.js';

/** The members of `tls` that name files. */
export const tlsFiles = ['ca', 'cert', 'key'] as const;

/** The most bytes of such a file: a bundle of every authority there is has a quarter of it. */
export const mostTlsBytes = 1_000_000;

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
    await fileBytes(path, mostTlsBytes);
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.message;
    throw error;
  }
}
