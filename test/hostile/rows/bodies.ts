import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  altered,
  bytes,
  chunkedHead,
  message,
  pours,
  rewritten,
  withHeaders,
  withMembers,
} from '../messages.js';
import type { HostileRow } from '../row.js';

const gigabyte = 1_000_000_000;
const filler = Buffer.alloc(65_536, 'a');
const zeros = Buffer.alloc(64_000_000);
const noJson = /not (?:valid JSON|a JSON object)/;
const tooLong = /beyond/;

/** A bomb in a content coding; made when it is asked for, and once. */
function bomb(coding: string, compressed: (bytes: Buffer) => Buffer) {
  let made: Buffer | undefined;
  return bytesOf(() => {
    made ??= message(compressed(zeros), `Content-Encoding: ${coding}\r\n`);
    return made;
  });
}

function bytesOf(made: () => Buffer): HostileRow['does'] {
  return (socket) => socket.write(made());
}

/** Bodies that are too big, too deep, or no text. */
export const bodyRows: readonly HostileRow[] = [
  {
    name: 'a body of 1 GB',
    big: true,
    exit: 4,
    tells: tooLong,
    does: pours(`HTTP/1.1 200 OK\r\nContent-Length: ${gigabyte}\r\n\r\n`, filler, gigabyte / filler.length),
  },
  {
    name: 'a body of 1 GB in chunks',
    big: true,
    exit: 4,
    tells: tooLong,
    does: pours(
      chunkedHead,
      Buffer.concat([Buffer.from('10000\r\n'), filler, Buffer.from('\r\n')]),
      gigabyte / filler.length,
    ),
  },
  {
    name: 'a body in a million chunks of a byte',
    big: true,
    costly: true,
    exit: 4,
    tells: /beyond|out of time/,
    does: pours(chunkedHead, Buffer.from('1\r\na\r\n'.repeat(10_000)), 101),
  },
  { name: 'a gzip bomb', big: true, costly: true, exit: 4, tells: tooLong, does: bomb('gzip', gzipSync) },
  {
    name: 'a deflate bomb',
    big: true,
    costly: true,
    exit: 4,
    tells: tooLong,
    does: bomb('deflate', deflateSync),
  },
  {
    name: 'a Brotli bomb',
    big: true,
    costly: true,
    exit: 4,
    tells: tooLong,
    does: bomb('br', (given) => brotliCompressSync(given, { params: { 1: 1 } })),
  },
  {
    name: 'a content coding that nobody asked for',
    exit: 1,
    tells: noJson,
    does: altered((honest) => ({
      ...honest,
      headers: [...honest.headers, ['Content-Encoding', 'zstd']],
      body: Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x02, 0x11, 0x00, 0x00, 0x7b, 0x7d]),
    })),
  },
  {
    name: 'says gzip of a body that is none',
    exit: 1,
    tells: /Z_DATA_ERROR/,
    does: withHeaders(['Content-Encoding', 'gzip']),
  },
  {
    name: 'gzip that breaks off',
    exit: 1,
    tells: noJson,
    does: altered((honest) => ({
      ...honest,
      headers: [...honest.headers, ['Content-Encoding', 'gzip']],
      body: gzipSync(honest.body).subarray(0, 40),
    })),
  },
  {
    name: 'gzip in gzip in gzip',
    exit: 1,
    tells: noJson,
    does: altered((honest) => ({
      ...honest,
      headers: [...honest.headers, ['Content-Encoding', 'gzip, gzip, gzip']],
      body: gzipSync(gzipSync(gzipSync(honest.body))),
    })),
  },
  {
    name: 'JSON nested a million deep',
    big: true,
    exit: 4,
    tells: tooLong,
    does: bytes(message(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`)),
  },
  {
    name: 'arrays nested 190,000 deep',
    exit: 4,
    tells: /nested deeper/,
    does: withMembers(`"description":${'['.repeat(190_000)}${']'.repeat(190_000)}`),
  },
  {
    name: 'objects nested 60,000 deep',
    exit: 4,
    tells: /nested deeper/,
    does: withMembers(`"allowed_models":${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`),
  },
  {
    name: 'a number of a billion digits',
    big: true,
    exit: 4,
    tells: tooLong,
    does: pours(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${gigabyte}\r\n\r\n{"data":{"limit_usd":`,
      Buffer.alloc(65_536, '9'),
      gigabyte / 65_536,
    ),
  },
  {
    name: 'a number beyond all numbers',
    exit: 1,
    tells: /limit_usd/,
    only: ['guardrail-read.field.limit_usd'],
    does: rewritten((body) => body.replace(/"limit_usd":[^,}]+/, `"limit_usd":-${'9'.repeat(900)}`)),
  },
  {
    name: 'members twice, the second of another type',
    exit: 1,
    tells: /name must be/,
    only: ['guardrail-read.field.name'],
    does: rewritten((body) => body.replace(/\}\}\s*$/, ',"name":1}}')),
  },
  {
    name: '190,000 elements of the wrong type',
    big: true,
    exit: 1,
    tells: /content_filter_builtins/,
    only: ['guardrail-read.field.content_filter_builtins'],
    does: rewritten((body) =>
      body
        .replace('{"data":{', `{"data":{"content_filter_builtins":[${'1,'.repeat(190_000)}1],"x":{`)
        .concat('}'),
    ),
  },
  {
    name: 'fourteen thousand members',
    exit: 0,
    // That there are as many vendors is advised against.
    tells: /GET own guardrail/,
    everywhere: { exit: [0, 4], tells: /GET own guardrail|^$|out of time/ },
    does: withMembers(Array.from({ length: 14_000 }, (_, at) => `"enforce_zdr_${at}":true`).join(',')),
  },
  {
    name: 'a value whose toString is none',
    exit: 1,
    tells: /id must be a UUID|expected/,
    only: ['guardrail-read.200.same-id', 'guardrail-read.field.id'],
    does: rewritten((body) =>
      body.replace(/"id":"[^"]*"/, '"id":{"toString":null,"valueOf":[],"toJSON":{}}'),
    ),
  },
  {
    name: 'values of 300,000 characters',
    exit: 1,
    tells: /got name "nnn/,
    only: ['guardrail-read.200.values'],
    does: rewritten((body) =>
      body.replace(/"name":"(?:[^"\\\\]|\\\\.)*"/, `"name":"${'n'.repeat(300_000)}"`),
    ),
  },
  {
    name: 'members called __proto__ and constructor',
    exit: 0,
    tells: /^$/,
    everywhere: { exit: 0, tells: /^$/ },
    does: withMembers('"__proto__":{"status":200,"id":1},"constructor":{"prototype":{"polluted":1}}'),
  },
  {
    name: '__proto__ in place of data',
    exit: 1,
    tells: /no data object/,
    does: bytes(message('{"__proto__":{"data":{"id":"x"}}}')),
  },
  {
    name: 'a byte order mark before JSON',
    exit: 1,
    tells: noJson,
    does: rewritten((body) => `\uFEFF${body}`),
  },
  {
    name: 'UTF-16 under the name of UTF-8',
    exit: 1,
    tells: noJson,
    does: rewritten((body) => Buffer.from(body, 'utf16le')),
  },
  {
    name: 'bytes that are no UTF-8',
    exit: 1,
    tells: noJson,
    does: bytes(message(Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf5]))),
  },
  { name: 'a body of NUL bytes', exit: 1, tells: noJson, does: bytes(message(Buffer.alloc(500))) },
  {
    name: 'lone surrogates in a value',
    exit: 1,
    tells: /reset_interval must/,
    only: ['guardrail-read.field.reset_interval'],
    does: rewritten((body) =>
      body
        .replace(/"reset_interval":[^,}]+,?/, '')
        .replace('{"data":{', '{"data":{"reset_interval":["\\ud800"],'),
    ),
  },
  {
    name: 'text that would move a terminal, in a body',
    exit: 1,
    tells: noJson,
    does: bytes(message('\x1b[2J\x1b]0;owned\x07\x1b]8;;http://stranger/\x07click\x1b]8;;\x07\x9b31m\u202e')),
  },
  {
    name: 'a page for a browser, with a script in it',
    exit: 1,
    tells: noJson,
    does: bytes(message('<script>alert(1)</script>]]></system-out><!--', 'X: </script>\r\n')),
  },
];
