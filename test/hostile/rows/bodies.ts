import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  addHeaders,
  addMembers,
  alterAnswer,
  chunkedHead,
  makeMessage,
  pour,
  rewriteBody,
  sendJson,
} from '../messages.js';
import { type Behaviour, endWith, type HostileRow } from '../row.js';

const gigabyte = 1_000_000_000;
const gigabyteHead = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${gigabyte}\r\n\r\n`;
const filler = Buffer.alloc(65_536, 'a');
const times = gigabyte / filler.length;
const escapes = '\x1b[2J\x1b]0;owned\x07\x1b]8;;http://stranger/\x07click\x1b]8;;\x07\x9b31m\u202e';
const noJson = /not (?:valid JSON|a JSON object)/;
const tooLong = /beyond/;

function makeBomb(coding: string, compress: (bytes: Buffer) => Buffer): Behaviour {
  let made: Buffer | undefined;
  return (socket) => {
    made ??= makeMessage(compress(Buffer.alloc(64_000_000)), `Content-Encoding: ${coding}\r\n`);
    socket.write(made);
  };
}

function encodeBody(coding: string, code: (body: Buffer) => Buffer): Behaviour {
  return alterAnswer((honest) => ({
    ...honest,
    headers: [...honest.headers, ['Content-Encoding', coding]],
    body: code(honest.body),
  }));
}

export const bodyRows: readonly HostileRow[] = [
  {
    name: 'bodies without end',
    big: true,
    ...endWith(4, tooLong),
    everywhere: endWith(3, tooLong),
    does: {
      'a body of 1 GB': pour(gigabyteHead, filler, times),
      'a body of 1 GB in chunks': pour(chunkedHead, Buffer.from(`10000\r\n${filler}\r\n`), times),
      'JSON nested a million deep': sendJson(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`),
      'a number of a billion digits': pour(
        `${gigabyteHead}{"data":{"limit_usd":`,
        Buffer.alloc(65_536, '9'),
        times,
      ),
    },
  },
  {
    name: 'bodies that are more work than they look',
    big: true,
    costly: true,
    ...endWith(4, /beyond|out of time/),
    does: {
      'a gzip bomb': makeBomb('gzip', gzipSync),
      'a deflate bomb': makeBomb('deflate', deflateSync),
      'a Brotli bomb': makeBomb('br', (given) => brotliCompressSync(given, { params: { 1: 1 } })),
      'a body in a million chunks of a byte': pour(chunkedHead, Buffer.from('1\r\na\r\n'.repeat(1e4)), 101),
    },
  },
  {
    name: 'says gzip of a body that is none',
    ...endWith(1, /Z_DATA_ERROR/),
    does: addHeaders(['Content-Encoding', 'gzip']),
  },
  {
    name: 'bodies that are no JSON',
    ...endWith(1, noJson),
    everywhere: endWith([1, 3], noJson),
    does: {
      'a content coding that nobody asked for': encodeBody('zstd', () => Buffer.from('28b52ffd', 'hex')),
      'gzip that breaks off': encodeBody('gzip', (body) => gzipSync(body).subarray(0, 40)),
      'gzip in gzip in gzip': encodeBody('gzip, gzip, gzip', (body) => gzipSync(gzipSync(gzipSync(body)))),
    },
  },
  {
    name: 'bodies in other characters',
    ...endWith(1, noJson),
    does: {
      'a byte order mark before JSON': rewriteBody((body) => `\uFEFF${body}`),
      'UTF-16 under the name of UTF-8': rewriteBody((body) => Buffer.from(body, 'utf16le')),
      'bytes that are no UTF-8': sendJson(Buffer.from('fffec080eda080f5', 'hex')),
      'NUL bytes': sendJson(Buffer.alloc(500)),
      'text that would move a terminal': sendJson(escapes),
      'a page for a browser, with a script in it': sendJson(
        '<script>alert(1)</script>]]></system-out><!--',
        'X: </script>\r\n',
      ),
    },
  },
  {
    name: 'JSON that is nested too deep to be read',
    ...endWith(4, /nested deeper/),
    does: {
      arrays: addMembers(`"description":${'['.repeat(190_000)}${']'.repeat(190_000)}`),
      objects: addMembers(`"allowed_models":${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`),
    },
  },
  {
    name: 'values that are no values',
    ...endWith(
      1,
      /id must be a UUID.*name must be a string, got 1.*limit_usd must be a number, got null.*reset_interval must/,
    ),
    only: ['limit_usd', 'name', 'reset_interval', 'id'].map((name) => `guardrail-read.field.${name}`),
    // A number beyond all numbers, a member twice, half a character, an object whose toString is none.
    does: rewriteBody((body) =>
      body
        .replace(/"limit_usd":[^,}]+/, `"limit_usd":-${'9'.repeat(900)}`)
        .replace(/"reset_interval":[^,}]+,?/, '')
        .replace(/"id":"[^"]*"/, '"id":{"toString":null,"valueOf":[],"toJSON":{}}')
        .replace('{"data":{', '{"data":{"reset_interval":["\\ud800"],')
        .replace(/\}\}\s*$/, ',"name":1}}'),
    ),
  },
  {
    name: '190,000 elements of the wrong type',
    big: true,
    ...endWith(1, /content_filter_builtins/),
    only: ['guardrail-read.field.content_filter_builtins'],
    does: rewriteBody(
      (body) => `{"data":{"content_filter_builtins":[${'1,'.repeat(190_000)}1],"x":${body}}}`,
    ),
  },
  {
    name: 'fourteen thousand members',
    exit: 0,
    // That there are as many vendors is advised against.
    says: /GET own guardrail/,
    does: addMembers(Array.from({ length: 14_000 }, (_, at) => `"enforce_zdr_${at}":true`).join(',')),
  },
  {
    name: 'values of 300,000 characters',
    big: true,
    ...endWith(1, /got name "nnn/),
    only: ['guardrail-read.200.values'],
    does: rewriteBody((body) =>
      body.replace(/"name":"(?:[^"\\\\]|\\\\.)*"/, `"name":"${'n'.repeat(300_000)}"`),
    ),
  },
  {
    name: 'a media type of 15,000 characters',
    ...endWith(1, /media type/),
    does: alterAnswer((honest) => ({ ...honest, headers: [['Content-Type', `text/${'x'.repeat(15_000)}`]] })),
  },
  {
    name: 'an error of 15,000 characters as a status of 500',
    ...endWith(4, /got 500/),
    does: sendJson(`{"error":{"code":500,"message":"${'\\u001b[2J'.repeat(1_500)}"}}`, '', '500 Error'),
  },
  {
    name: 'members called __proto__ and constructor',
    ...endWith(0, /^$/),
    does: addMembers('"__proto__":{"status":200,"id":1},"constructor":{"prototype":{"polluted":1}}'),
  },
  {
    name: '__proto__ in place of data',
    ...endWith(1, /no data object/),
    does: sendJson('{"__proto__":{"data":{"id":"x"}}}'),
  },
];
