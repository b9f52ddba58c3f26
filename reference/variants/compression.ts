import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Behaviour } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { makeVariants, type Variant } from '../variant.js';
import { bodyText, wireHeaders } from './wire.js';

/** Variants that compress their answers where the request allows it, streams included (§1). */
export const compressionVariants: readonly Variant[] = [
  ...makeVariants('1', {
    'compressed-gzip': {
      everyday: 'Answers are compressed with gzip where the request allows it',
      override: { transmit: compressed('gzip', gzipSync) },
    },
    'compressed-deflate': {
      description: 'Answers are compressed with deflate where the request allows it',
      override: { transmit: compressed('deflate', deflateSync) },
    },
    'compressed-br': {
      description: 'Answers are compressed with br where the request allows it',
      override: { transmit: compressed('br', brotliCompressSync) },
    },
  }),
];

function compressed(coding: string, compress: (text: Buffer) => Buffer): Behaviour['transmit'] {
  return (response, answer, call) => {
    const text = bodyText(answer);
    if (text === '' || !allows(call.headers['accept-encoding'], coding)) {
      return conforming.transmit(response, answer, call);
    }
    const body = compress(Buffer.from(text));
    const more = { 'Content-Encoding': coding, Vary: 'Accept-Encoding', 'Content-Length': body.length };
    response.writeHead(answer.status, { ...wireHeaders(answer, call), ...more });
    response.end(body);
  };
}

/** Whether an `Accept-Encoding` names a coding and does not weigh it with 0. */
function allows(accepted: string | string[] | undefined, coding: string): boolean {
  const entries = String(accepted ?? '').split(',');
  return entries.some((entry) => {
    const [name = '', weight = 'q=1'] = entry.split(';').map((part) => part.trim().toLowerCase());
    return name === coding && Number(weight.slice(2)) > 0;
  });
}
