import { message, pointing } from '../messages.js';
import type { Around, Behaviour, HostileRow } from '../row.js';

function redirect(location: (around: Around) => string, status = '302 Found'): Behaviour {
  return pointing((around) => message('{}', `Location: ${location(around)}\r\n`, status));
}

const told = { exit: 1, tells: /got 30\d/ } as const;

/** Ways to send the client, and what it carries, somewhere else. */
export const redirectRows: readonly HostileRow[] = [
  { name: 'a redirect to another host', ...told, does: redirect(({ stranger }) => `${stranger}/v1/key`) },
  {
    name: 'a redirect to another host that keeps method and body',
    ...told,
    does: redirect(({ stranger }) => `${stranger}/v1/key`, '307 Temporary Redirect'),
  },
  {
    name: 'a redirect to another host without its protocol',
    ...told,
    does: redirect(({ stranger }) => `${stranger.slice('http:'.length)}/v1/key`, '308 Permanent Redirect'),
  },
  {
    name: 'a redirect to another host with credentials in it',
    ...told,
    does: redirect(({ stranger }) => stranger.replace('//', '//user:password@')),
  },
  { name: 'a redirect to itself', ...told, does: redirect(({ origin }) => `${origin}/v1/key`, '301 Moved') },
  { name: 'a redirect to a file', ...told, does: redirect(() => 'file:///etc/passwd') },
  {
    name: 'a redirect to a socket of this machine',
    ...told,
    does: redirect(() => 'http+unix://%2Ftmp%2Fx.sock/'),
  },
  { name: 'a redirect to nowhere', ...told, does: redirect(() => 'http://[::bad') },
  {
    name: '300 redirects, each to the next',
    ...told,
    does: (socket, { before }, { origin }) => {
      socket.write(message('{}', `Location: ${origin}/v1/hop/${before}\r\n`, '300 Multiple Choices'));
    },
  },
  {
    name: 'a refresh and an alternative service on another host',
    exit: 0,
    tells: /^$/,
    everywhere: { exit: 0, tells: /^$/ },
    does: async (socket, _asked, { honest, stranger }) => {
      const { status, body } = await honest();
      const elsewhere = `Refresh: 0; url=${stranger}\r\nAlt-Svc: http/1.1="${new URL(stranger).host}"; ma=99999\r\n`;
      // A 204 has no length.
      if (status === 204) socket.write(`HTTP/1.1 204 Told\r\n${elsewhere}\r\n`);
      else socket.write(message(body, elsewhere, `${status} Told`));
    },
  },
];
