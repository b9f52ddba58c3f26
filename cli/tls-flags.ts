import { fileBytes, UnreadableFile } from '../spec/file-text.js';
import { UsageError } from '../spec/thrown.js';
import type { TlsOptions } from '../targets/agents.js';
import { mostTlsBytes } from '../targets/profile/profile-rules.js';

/** The flags that say which certificates are trusted. */
export interface TlsFlags {
  /** A file of certificates, in PEM. */
  readonly cacert?: string;
  /** Whether any certificate is accepted. */
  readonly insecure: boolean;
}

/** Reads the flags that say which certificates are trusted. Throws UsageError. */
export async function readTlsFlags({ cacert, insecure }: TlsFlags): Promise<TlsOptions> {
  if (cacert === undefined) return insecure ? { insecure } : {};
  if (insecure)
    throw new UsageError('--cacert says what to trust, --insecure trusts anything. Leave one of them out.');
  const ca = await fileBytes(cacert, mostTlsBytes).catch((error: unknown) => {
    throw error instanceof UnreadableFile ? new UsageError(`--cacert: ${cacert} ${error.message}.`) : error;
  });
  if (!ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new UsageError(`--cacert: ${cacert} holds no certificate in PEM. Give one that does.`);
  return { ca };
}
