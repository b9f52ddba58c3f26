import { everyInference, everyOperation, read, removal } from '../requests.js';
import type { Script } from '../script.js';
import { eachOnToken, script, sent } from '../steps.js';

const HOSTS = [
  'eu.vault.test',
  'EU.VAULT.TEST',
  'Eu.Vault.Test',
  'eU.vAULT.tEST',
  'eu.vault.test:443',
  'eu.vault.test:80',
  'eu.vault.test:8080',
  'eu.vault.test:1',
  'eu.vault.test:',
  'EU.vault.test:443',
  'eu.vault.test.',
  'eu.vault.test.:443',
  'EU.VAULT.TEST.',
  'eu.vault.test..',
  'vault.test',
  'VAULT.TEST',
  'Vault.Test:443',
  'us.vault.test',
  'eu.vault.example',
  'xeu.vault.test',
  'eu.vault.testx',
  'eu-vault.test',
  'eu.vault.test.example.com',
  'api.eu.vault.test',
  'www.vault.test',
  'eu',
  'eu.',
  'europe.test',
  'localhost',
  'LOCALHOST',
  'localhost:1234',
  '127.0.0.1',
  '[::1]',
  '[::1]:80',
  'example.com',
  'EXAMPLE.COM',
  'user@eu.vault.test',
  'eu.vault.test/x',
  '',
];

/** Every spelling of the hostnames, in the header and in others that name one. */
export const hostScripts: readonly Script[] = [
  script(
    'hosts',
    HOSTS.map((Host) => ({ Host })).flatMap((headers) => [
      ...eachOnToken([removal('token', { headers })]),
      ...sent([
        ...everyOperation({ headers }).slice(1),
        removal('absent', { headers }),
        removal('Bad', { headers }),
        read('/vault/secrets', { headers }),
        removal('token', { role: 'provisioning', headers }),
        removal('token', { authorization: () => undefined, headers }),
        removal('token', { intern: 'no-uuid', headers }),
      ]),
    ]),
  ),
  script(
    'the regional host elsewhere',
    ...[
      'X-Forwarded-Host',
      'X-Host',
      'X-Original-Host',
      'X-Forwarded-Server',
      'Forwarded',
      'Origin',
      'Referer',
      'X-Region',
    ].flatMap((name) => {
      const value = { Forwarded: 'host=eu.vault.test', Origin: 'https://eu.vault.test' }[name];
      const headers = { [name]: value ?? 'eu.vault.test' };
      return [eachOnToken([removal('token', { headers })]), sent(everyOperation({ headers }).slice(1))];
    }),
  ),
  script('inference on the regional host', sent(everyInference({ headers: { Host: 'eu.vault.test' } }))),
];
