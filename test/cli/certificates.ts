import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../folders.js';

const configuration = `[ca]
default_ca=only
[only]
new_certs_dir=.
database=index
serial=serial
default_md=sha256
policy=any
copy_extensions=copy
[any]
commonName=supplied
`;

// OPENSSL names it if it is not on the path.
const program = process.env.OPENSSL ?? 'openssl';

/** Self-signed certificates of one key as PEM: a valid one, an expired one, and one for another host. */
export interface Certificates {
  readonly folder: string;
  readonly key: string;
  readonly good: string;
  readonly expired: string;
  readonly otherName: string;
}

export const canMakeCertificates = spawnSync(program, ['version']).status === 0;

export function makeCertificates(): Certificates {
  const made = folder();
  const openssl = (...args: readonly string[]) => execFileSync(program, args, { cwd: made, stdio: 'pipe' });
  const names = (list: string) => ['-subj', '/CN=test', '-addext', `subjectAltName=${list}`] as const;
  const here = names('DNS:localhost,IP:127.0.0.1');
  writeFileSync(join(made, 'ca.cnf'), configuration);
  writeFileSync(join(made, 'index'), '');
  writeFileSync(join(made, 'serial'), '01\n');
  openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'key.pem');
  openssl('req', '-x509', '-key', 'key.pem', '-days', '2', '-out', 'good.pem', ...here);
  openssl('req', '-x509', '-key', 'key.pem', '-days', '2', '-out', 'other.pem', ...names('DNS:other.test'));
  openssl('req', '-new', '-key', 'key.pem', '-out', 'request.pem', ...here);
  const dates = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'] as const;
  const signing = ['-batch', '-notext', '-selfsign', '-config', 'ca.cnf', '-keyfile', 'key.pem'] as const;
  openssl('ca', ...signing, ...dates, '-in', 'request.pem', '-out', 'expired.pem');
  const read = (name: string) => readFileSync(join(made, name), 'utf8');
  return {
    folder: made,
    key: read('key.pem'),
    good: read('good.pem'),
    expired: read('expired.pem'),
    otherName: read('other.pem'),
  };
}
