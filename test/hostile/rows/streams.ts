import { pour } from '../messages.js';
import { endWith, type HostileRow } from '../row.js';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const onStreams = { on: 'inference', only: ['stream-error.event'] } as const;
const none = endWith([1, 4], /no such event|no answer within|no error event/);

function chunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

export const streamRows: readonly HostileRow[] = [
  {
    name: 'server-sent events without end',
    big: true,
    costly: true,
    ...onStreams,
    ...none,
    does: {
      'many at a time': pour(head, chunk('data: {"choices":[]}\n\n'.repeat(1_000)), 50_000),
      'in chunks of a byte': pour(
        head,
        Buffer.concat(Array.from('data: {"choices":[]}\n\n'.repeat(500), chunk)),
        100,
      ),
      'on one line': pour(`${head}6\r\ndata: \r\n`, chunk('x'.repeat(1_000)), 1_100),
    },
  },
  {
    name: 'server-sent events without end, a few at a time',
    ...onStreams,
    waits: true,
    ...none,
    does: async (socket, _asked, { sleep }) => {
      socket.write(head);
      while (!socket.destroyed) {
        socket.write(chunk(': still here\n\ndata: {}\n\n'));
        await sleep(10);
      }
    },
  },
  {
    name: 'server-sent events of null, NUL and numbers',
    ...onStreams,
    ...none,
    does: (socket) => {
      const events = ['null', '[null]', '"\\u0000"', '\0', '1e999', '{"error":null}', '{"choices":[null]}'];
      socket.write(head);
      socket.write(chunk(events.map((data) => `data: ${data}\n\n`).join('')));
      socket.end('0\r\n\r\n');
    },
  },
  {
    name: 'an error event without an error',
    ...onStreams,
    only: ['stream-error.event', 'stream-error.error'],
    ...endWith(1, /error must be/),
    everywhere: endWith(3, /no positive control passed|out of time/),
    does: (socket) => {
      socket.write(head);
      socket.write(chunk('id: 1\nretry: 99999999\ndata: {"error":[[[]]],"choices":{"length":1e9}}\n\n'));
      socket.end('0\r\n\r\n');
    },
  },
];
