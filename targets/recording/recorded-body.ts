import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { bodyLimit } from '../body-limit.js';
import { isGzip } from './recording-bytes.js';

/** A body as it is judged. */
export interface RecordedBody {
  readonly text: string;
  /** It goes on beyond what is read of one. */
  readonly truncated: boolean;
}

/** A body that was recorded as text. Undefined where packed bytes were taken for text, which nobody can undo. */
export function textBody(text: string): RecordedBody | undefined {
  if (text.startsWith('\u001f')) return undefined;
  return { text: text.slice(0, bodyLimit), truncated: text.length > bodyLimit };
}

/** A body that was recorded in base64, unpacked where the recorder left it packed. Undefined where it cannot be. */
export function base64Body(base64: string, contentEncoding: string | undefined): RecordedBody | undefined {
  const packed = Buffer.from(base64, 'base64');
  const bytes = unpacked(packed, contentEncoding);
  if (bytes === undefined) return undefined;
  return {
    text: bytes.subarray(0, bodyLimit).toString('utf8'),
    truncated: bytes.length > bodyLimit,
  };
}

// More than is read proves nothing more, and a small body may unpack to an endless one.
const options = { maxOutputLength: 8 * bodyLimit };

function unpacked(bytes: Buffer, contentEncoding = ''): Buffer | undefined {
  const coding = contentEncoding.trim().toLowerCase();
  try {
    if (isGzip(bytes)) return gunzipSync(bytes, options);
    // Most recorders unpack these and keep the header: what does not unpack is plain.
    if (coding === 'br' && !looksPlain(bytes)) return brotliDecompressSync(bytes, options);
    if (coding === 'deflate' && !looksPlain(bytes)) return inflateSync(bytes, options);
    return coding === 'zstd' && !looksPlain(bytes) ? undefined : bytes;
  } catch {
    return undefined;
  }
}

/** Whether bytes begin as JSON, a page or events do. */
function looksPlain(bytes: Buffer): boolean {
  return (
    bytes.length === 0 ||
    /^\s*(?:[[{<"\d:-]|data|event|id|retry|true|false|null)/.test(bytes.toString('latin1', 0, 64))
  );
}
