import { wire } from '../front.js';
import { bytes, message, pours, rewritten } from '../messages.js';
import type { Asked, Behaviour, ControlRow } from '../row.js';

const capabilities = ({ method, target }: Asked) => method === 'GET' && target === '/control';
const making = ({ method, target }: Asked) => method === 'POST' && target === '/control/worlds';
const deleting = ({ method }: Asked) => method === 'DELETE';
const everyCall = () => true;

/** The honest answer with another text in place of one in its JSON. */
function withText(pattern: RegExp, text: string): Behaviour {
  return rewritten((body) => body.replace(pattern, text));
}

const late = {
  waits: true,
  exit: 3,
  tells: /got no answer: no answer within/,
  does: () => undefined,
} as const;
const memberKey = /"member":"[^"]*"/;
const worldId = /"id":"[^"]*"/;

/** Behaviours of a hostile control protocol; `test/targets` has what is wrong in one answer. */
export const controlRows: readonly ControlRow[] = [
  { name: 'never says what it offers', on: capabilities, ...late },
  { name: 'never makes a world', on: making, ...late },
  {
    name: 'never deletes a world',
    on: deleting,
    waits: true,
    exit: [0, 4],
    tells: /^$|out of time/,
    does: () => undefined,
  },
  {
    name: '1 GB of capabilities',
    on: capabilities,
    big: true,
    exit: 3,
    tells: /goes on beyond/,
    does: pours('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n', Buffer.alloc(65_536, '['), 15_258),
  },
  {
    name: 'a base_url of another host, which must not get the control token',
    on: capabilities,
    waits: true,
    exit: 3,
    tells: /no positive control passed: .*no answer within/,
    does: (socket, asked, around) =>
      withText(/"base_url":"[^"]*"/, `"base_url":"${around.stranger}/elsewhere"`)(socket, asked, around),
  },
  {
    name: 'worlds that are described wrongly',
    on: making,
    exit: 3,
    tells: /described a world wrongly: /,
    does: {
      'keys that are no ASCII': withText(memberKey, '"member":"schlüssel-\\ud83d\\ude00"'),
      'keys of 300,000 characters': withText(memberKey, `"member":"${'k'.repeat(300_000)}"`),
      'a role whose name would move a terminal, or fill the report': withText(
        memberKey,
        `"\\u001b]0;owned\\u0007${'r'.repeat(300_000)}":1`,
      ),
      'a world that is null': bytes(message('null', '', '201 Created')),
    },
  },
  {
    name: 'calls that make no world',
    on: making,
    exit: 3,
    tells: /not valid JSON|answered 204 instead of 201|connection lost \(ECONNRESET\)/,
    does: {
      'a world of nothing': bytes('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n'),
      '204 in place of a world': bytes('HTTP/1.1 204 No Content\r\n\r\n'),
      'a connection that is reset': (socket) => socket.resetAndDestroy(),
    },
  },
  {
    name: 'world ids that lead elsewhere',
    on: making,
    only: ['vault-delete.204.deleted'],
    exit: 4,
    tells: /PUT \/worlds\/\{id\}\/secrets\/own\/\{name\} was answered 404/,
    does: {
      'out of their folder': withText(worldId, '"id":"../../v1/key"'),
      'to another world': (socket, asked, around) =>
        withText(worldId, `"id":"other-${asked.before}"`)(socket, asked, around),
    },
  },
  {
    name: 'a redirect of every call to another host, the token with it',
    on: everyCall,
    exit: 3,
    tells: /was answered 307 instead of 200/,
    does: (socket, { target }, { stranger }) =>
      socket.write(message('{}', `Location: ${stranger}${target}\r\n`, '307 Temporary Redirect')),
  },
  {
    name: '500 now and then, and resets',
    on: everyCall,
    exit: [0, 1, 4],
    tells: /^$|answered 500|ECONNRESET/,
    does: async (socket, asked, { honest }) => {
      if (asked.before % 4 === 3) socket.resetAndDestroy();
      else if (making(asked) && asked.before % 3 === 2)
        socket.write(message('{"error":"x"}', '', '500 Error'));
      else socket.write(wire(await honest()));
    },
  },
];
