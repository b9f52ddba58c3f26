import { writeMessage } from '../front.js';
import { makeMessage, pour, rewriteBody, sendBytes, sendJson } from '../messages.js';
import { type Asked, type Behaviour, type ControlRow, endWith } from '../row.js';

const asksCapabilities = ({ method, target }: Asked) => method === 'GET' && target === '/control';
const makesWorld = ({ method, target }: Asked) => method === 'POST' && target === '/control/worlds';
const deletesWorld = ({ method }: Asked) => method === 'DELETE';
const isAnyCall = () => true;

function replaceText(pattern: RegExp, text: string): Behaviour {
  return rewriteBody((body) => body.replace(pattern, text));
}

const late = {
  waits: true,
  ...endWith(3, /got no answer: no answer within/),
  does: () => undefined,
} as const;
const memberKey = /"member":"[^"]*"/;
const worldId = /"id":"[^"]*"/;

/** Behaviours of a hostile control protocol; `test/targets` has what is wrong in one answer. */
export const controlRows: readonly ControlRow[] = [
  { name: 'never says what it offers', on: asksCapabilities, ...late },
  { name: 'never makes a world', on: makesWorld, ...late },
  {
    name: 'never deletes a world',
    on: deletesWorld,
    waits: true,
    ...endWith([0, 4], /^$|out of time/),
    does: () => undefined,
  },
  {
    name: '1 GB of capabilities',
    on: asksCapabilities,
    big: true,
    ...endWith(3, /goes on beyond/),
    does: pour('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n', Buffer.alloc(65_536, '['), 15_258),
  },
  {
    name: 'a base_url of another host, which must not get the control token',
    on: asksCapabilities,
    waits: true,
    ...endWith(3, /no positive control passed: .*no answer within/),
    does: (socket, asked, around) =>
      replaceText(/"base_url":"[^"]*"/, `"base_url":"${around.stranger}/elsewhere"`)(socket, asked, around),
  },
  {
    name: 'worlds that are described wrongly',
    on: makesWorld,
    ...endWith(3, /returned an invalid world: /),
    does: {
      'keys that are no ASCII': replaceText(memberKey, '"member":"schlüssel-\\ud83d\\ude00"'),
      'keys of 300,000 characters': replaceText(memberKey, `"member":"${'k'.repeat(300_000)}"`),
      'a role whose name would move a terminal, or fill the report': replaceText(
        memberKey,
        `"\\u001b]0;owned\\u0007${'r'.repeat(300_000)}":1`,
      ),
      'a world that is null': sendJson('null', '', '201 Created'),
    },
  },
  {
    name: 'calls that make no world',
    on: makesWorld,
    ...endWith(3, /not valid JSON|answered 204 instead of 201|connection lost \(ECONNRESET\)/),
    does: {
      'a world of nothing': sendBytes('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n'),
      '204 in place of a world': sendBytes('HTTP/1.1 204 No Content\r\n\r\n'),
      'a connection that is reset': (socket) => socket.resetAndDestroy(),
    },
  },
  {
    name: 'world ids that lead elsewhere',
    on: makesWorld,
    only: ['vault-delete.204.deleted'],
    ...endWith(4, /PUT \/worlds\/\{id\}\/secrets\/own\/\{name\} was answered 404/),
    does: {
      'out of their folder': replaceText(worldId, '"id":"../../v1/key"'),
      'to another world': (socket, asked, around) =>
        replaceText(worldId, `"id":"other-${asked.before}"`)(socket, asked, around),
    },
  },
  {
    name: 'a redirect of every call to another host, the token with it',
    on: isAnyCall,
    ...endWith(3, /was answered 307 instead of 200/),
    does: (socket, { target }, { stranger }) =>
      socket.write(makeMessage('{}', `Location: ${stranger}${target}\r\n`, '307 Temporary Redirect')),
  },
  {
    name: '500 now and then, and resets',
    on: isAnyCall,
    ...endWith([0, 1, 4], /^$|answered 500|ECONNRESET/),
    does: async (socket, asked, { honest }) => {
      if (asked.before % 4 === 3) socket.resetAndDestroy();
      else if (makesWorld(asked) && asked.before % 3 === 2)
        socket.write(makeMessage('{"error":"x"}', '', '500 Error'));
      else socket.write(writeMessage(await honest()));
    },
  },
];
