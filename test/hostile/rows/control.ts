import { wire } from '../front.js';
import { bytes, message, pours, rewritten } from '../messages.js';
import type { Asked, Behaviour, ControlRow } from '../row.js';

const capabilities = ({ method, target }: Asked) => method === 'GET' && target === '/control';
const making = ({ method, target }: Asked) => method === 'POST' && target === '/control/worlds';
const deleting = ({ method }: Asked) => method === 'DELETE';
const everyCall = () => true;

type Members = Readonly<Record<string, unknown>>;

/** The honest answer with some members of its JSON in place of its own. */
function withValues(values: (stranger: string) => Members): Behaviour {
  return (socket, asked, around) =>
    rewritten((body) => JSON.stringify({ ...(JSON.parse(body) as Members), ...values(around.stranger) }))(
      socket,
      asked,
      around,
    );
}

/** The honest answer with another text in place of one in its JSON. */
function withText(pattern: RegExp, text: string): Behaviour {
  return rewritten((body) => body.replace(pattern, text));
}

const late = /got no answer: no answer within/;
const wrongKeys = /described a world wrongly: keys\.member must/;
const wrongWorld = { on: making, exit: 3, tells: wrongKeys } as const;
const memberKey = /"member":"[^"]*"/;

/** Every behaviour of a hostile control protocol. */
export const controlRows: readonly ControlRow[] = [
  {
    name: 'never says what it offers',
    on: capabilities,
    waits: true,
    exit: 3,
    tells: late,
    does: () => undefined,
  },
  { name: 'never makes a world', on: making, waits: true, exit: 3, tells: late, does: () => undefined },
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
    name: 'capabilities nested 180,000 deep',
    on: capabilities,
    exit: 3,
    tells: /nested deeper/,
    does: bytes(message(`{"protocol":"1","roles":${'['.repeat(180_000)}${']'.repeat(180_000)}}`)),
  },
  {
    name: 'capabilities of the wrong types',
    on: capabilities,
    exit: 3,
    tells: /is not a control protocol: roles must be array/,
    does: withValues(() => ({ roles: { length: 1e9 }, features: 'all' })),
  },
  {
    name: 'faults that are no list',
    on: capabilities,
    exit: 3,
    tells: /is not a control protocol: faults must be array/,
    does: withValues(() => ({ faults: { '0': 'vault_unreachable' } })),
  },
  {
    name: '190,000 roles that are numbers',
    on: capabilities,
    big: true,
    exit: 3,
    tells: /roles\.0 must be string/,
    does: bytes(
      message(`{"protocol":"1","base_url":"x","faults":[],"features":[],"roles":[${'1,'.repeat(190_000)}1]}`),
    ),
  },
  {
    name: 'a base_url that is a file',
    on: capabilities,
    exit: 3,
    tells: /base_url that is not a plain http or https URL/,
    does: withValues(() => ({ base_url: 'file:///etc/passwd' })),
  },
  {
    name: 'a base_url with a password',
    on: capabilities,
    exit: 3,
    tells: /base_url that is not a plain http or https URL/,
    does: withValues((stranger) => ({ base_url: stranger.replace('//', '//me:secret@') })),
  },
  {
    name: 'a base_url of another host, which must not get the control token',
    on: capabilities,
    waits: true,
    exit: 3,
    tells: /no positive control passed: .*no answer within/,
    does: withValues((stranger) => ({ base_url: `${stranger}/elsewhere` })),
  },
  {
    name: 'a regional host with a header in it',
    on: capabilities,
    exit: 3,
    tells: /regional_host must match/,
    does: withValues(() => ({ regional_host: 'eu.test\r\nX-Injected: yes' })),
  },
  {
    name: 'an inference path that leads to another host',
    on: capabilities,
    exit: 3,
    tells: /inference\.path must match/,
    does: withValues((stranger) => ({
      inference: { method: 'POST', path: `@${new URL(stranger).host}/`, free_model: 'x:free' },
    })),
  },
  {
    name: 'an inference method that is no token',
    on: capabilities,
    exit: 3,
    tells: /inference\.method must match/,
    does: withValues(() => ({
      inference: { method: 'POST /x HTTP/1.1\r\n\r\n', path: '/x', free_model: 'x:free' },
    })),
  },
  {
    name: 'keys with a header in them',
    ...wrongWorld,
    does: withText(memberKey, '"member":"sk-1\\r\\nX-Injected: yes"'),
  },
  {
    name: 'keys that are no ASCII',
    ...wrongWorld,
    does: withText(memberKey, '"member":"schlüssel-\\ud83d\\ude00"'),
  },
  {
    name: 'keys of 300,000 characters',
    ...wrongWorld,
    does: withText(memberKey, `"member":"${'k'.repeat(300_000)}"`),
  },
  {
    name: 'a role whose name would move a terminal, or fill the report',
    on: making,
    exit: 3,
    tells: /described a world wrongly: keys\./,
    does: withText(memberKey, `"\\u001b]0;owned\\u0007${'r'.repeat(300_000)}":1`),
  },
  {
    name: 'ids of interns that climb out of their folder',
    on: making,
    exit: 3,
    tells: /interns\.own must match/,
    does: withText(/"own":"[^"]*"/, '"own":"../../../control"'),
  },
  {
    name: 'world ids that climb out of their folder',
    on: making,
    only: ['vault-delete.204.deleted'],
    exit: 4,
    tells: /PUT \/worlds\/\{id\}\/secrets\/own\/\{name\} was answered 404/,
    does: withText(/"id":"[^"]*"/, '"id":"../../v1/key"'),
  },
  {
    name: 'world ids of lone surrogates',
    on: making,
    exit: 3,
    tells: /described a world wrongly: id must match/,
    does: withText(/"id":"[^"]*"/, '"id":"\\ud800"'),
  },
  {
    name: 'world ids that change',
    on: making,
    only: ['vault-delete.204.deleted'],
    exit: 4,
    tells: /PUT \/worlds\/\{id\}\/secrets\/own\/\{name\} was answered 404/,
    does: (socket, asked, around) =>
      withText(/"id":"[^"]*"/, `"id":"other-${asked.before}"`)(socket, asked, around),
  },
  {
    name: 'a redirect of every call to another host, the token with it',
    on: everyCall,
    exit: 3,
    tells: /was answered 307 instead of 200/,
    does: (socket, { target }, { stranger }) => {
      socket.write(message('{}', `Location: ${stranger}${target}\r\n`, '307 Temporary Redirect'));
    },
  },
  {
    name: '500 now and then',
    on: making,
    exit: [0, 1, 4],
    tells: /^$|answered 500/,
    does: async (socket, { before }, { honest }) => {
      socket.write(before % 3 === 2 ? message('{"error":"x"}', '', '500 Error') : wire(await honest()));
    },
  },
  {
    name: 'resets now and then',
    on: everyCall,
    exit: [0, 4],
    tells: /^$|ECONNRESET/,
    does: async (socket, { before }, { honest }) => {
      if (before % 4 === 3) socket.resetAndDestroy();
      else socket.write(wire(await honest()));
    },
  },
  {
    name: 'resets whenever a world is asked for',
    on: making,
    exit: 3,
    tells: /connection lost \(ECONNRESET\)/,
    does: (socket) => socket.resetAndDestroy(),
  },
  {
    name: 'a world of nothing',
    on: making,
    exit: 3,
    tells: /not valid JSON/,
    does: bytes('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n'),
  },
  {
    name: '204 in place of a world',
    on: making,
    exit: 3,
    tells: /answered 204 instead of 201/,
    does: bytes('HTTP/1.1 204 No Content\r\n\r\n'),
  },
  {
    name: 'a world that is null',
    on: making,
    exit: 3,
    tells: /described a world wrongly/,
    does: bytes(message('null', '', '201 Created')),
  },
];
