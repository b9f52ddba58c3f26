import { expect, test } from 'vitest';
import { readProfile } from '../../../targets/profile/read-profile.js';
import { folderOf, listFaults } from './profile-files.js';

const id = '3f2b9a44-5c61-4d7e-8b0a-1e9d6c7f5a2';
const target = 'target: { base_url: "https://h.test/v1" }';
const interns = `interns: { own: ${id}1, sibling: ${id}2 }`;

/** A profile that is good but for the members given, which begin on line 3. */
function withMembers(members: string): string {
  return `${target}\n${interns}\n${members}`;
}

type Row = readonly [members: string, ...lines: string[]];

const isSetAlready = 'is set for each request; the address and the keys have fields of their own';
const seconds = 'must be a number of seconds above 0 and at most 2147483';
const env = { ID: `${id}9` };
test.each<Row>([
  ['limts: { rate: 1 }', '3: limts: unknown field; did you mean limits?'],
  ['limits:\n  time: 3\n  ratte: 1', '5: limits.ratte: unknown field; did you mean rate?'],
  [`guardrail:\n  id: \${ID}\n  hue: red`, '5: guardrail.hue: unknown field; known here: id, workspace_id'],
  ['keys:\n  member: sk-0123456789\n  membr: sk-2', '5: keys: unknown role membr; did you mean member?'],
  ['inference:\n  path: /p', '3: inference: must have at least one of free_model, paid_model'],
  ['keys: sk-1', '3: keys: must be a mapping, its members (such as member) indented below it'],
  ['keys:\n  member: test', '4: keys.member: must be a key: at least 12 characters without blanks'],
  ['tls: { insecure: yes }', '3: tls.insecure: must be true or false'],
  [
    'disposable_interns:\n  - own\n  - foreign\n  - own',
    '5: disposable_interns[1]: must be one of own, sibling',
    '6: disposable_interns[2]: is a duplicate',
  ],
  [
    'headers:\n  authorization: x\n  HOST: x\n  Content-Length: "1"',
    `4: headers.authorization: ${isSetAlready}`,
    `5: headers.HOST: ${isSetAlready}`,
    `6: headers.Content-Length: ${isSetAlready}`,
  ],
  ['headers:\n  X-A: "1"\n  x-a: "1"', '5: headers.x-a: is already given in another case; keep one'],
  [
    'headers:\n  X-A: "a\\r\\nB: c"\n  "a b": x',
    '4: headers.X-A: must be text without line breaks and control characters; a number needs quotes',
    '5: headers."a b": is not a valid header name',
  ],
  ['store: {}', '3: store: must have exactly one of http, command, names'],
  [
    'store:\n  names:\n    own: [a, b_, a]\n    sibling: []',
    '5: store.names.own[1]: must be a secret name (§2.3)',
    '5: store.names.own[2]: is a duplicate',
    '6: store.names.sibling: must have at least one entry',
  ],
  ['store: { names: {} }', '3: store.names: must have at least one of own, sibling'],
  [
    'store: { command: { timeout: 0 } }',
    '3: store.command.run: is missing',
    `3: store.command.timeout: ${seconds}`,
  ],
  [
    'store: { command: { run: [a], scopes: [workspace, foreign] } }',
    '3: store.command.scopes[1]: interns has no ID for foreign; add it there',
  ],
  [
    'store:\n  http:\n    method: GET\n    path: /{intern}/{name}\n    url: http://x.test/',
    '4: store.http: must have exactly one of url, path',
    '5: store.http.method: must be one of PUT, POST, PATCH',
  ],
  [
    'store:\n  http: { method: PUT, path: "/x/{intern}" }',
    '4: store.http: must contain {name} in its address or its body',
  ],
  [
    'store:\n  http: { method: PUT, path: "/x", body: { a: ["{name}"] } }',
    '4: store.http: must contain {intern} or {scope}, or list one scope in scopes: otherwise all scopes would share one secret',
  ],
  ['store:\n  http: { method: PUT, path: "/x", body: { a: ["{name}"] }, scopes: [own] }'],
  [
    'store:\n  http:\n    method: PUT\n    path: /{intern}/{name}/{nmae}',
    '6: store.http.path: contains a brace that does not belong to one of {intern}, {name}, {value}, {scope}; write %7B or %7D for a literal brace',
  ],
  [
    'store:\n  http:\n    method: PUT\n    url: https://a:b@x.test/{intern}/{name}\n    key: outsider',
    '6: store.http.url: must be a valid URL without user name, password and fragment',
    '7: store.http.key: keys has no key for this role; add it there',
  ],
  [
    'store:\n  http:\n    method: PUT\n    path: /x/{intern}/{name}\n    headers: { Host: x }',
    `7: store.http.headers.Host: ${isSetAlready}`,
  ],
  [
    'inference:\n  path: /p\n  free_model: acme/tiny\n  paid_model: acme/tiny:free',
    '5: inference.free_model: must be a model id that ends in :free (§8.2)',
    '6: inference.paid_model: must be a model id that does not end in :free (§8.2)',
  ],
  [
    'policy: { excused: [{ requirement: [nothing.*, auth.**], reason: x }] }',
    '3: policy.excused[0].requirement[0]: matches no requirement; "plumbline requirements" lists their IDs',
  ],
  ['keys: { member: $STAGING_KEY_1 }', '3: keys.member: it looks like a placeholder; give the key itself'],
  ['keys: { member: \'"sk-0123456789"\' }', '3: keys.member: it has quotes around it; leave them out'],
  ['policy: { decides: [] }', '3: policy.decides: must have at least one entry'],
  [
    'limits:\n  concurrency: 0\n  rate: -1\n  requests: 1.5\n  time: 3000000',
    '4: limits.concurrency: must be a whole number from 1 to 10000',
    '5: limits.rate: must be a number above 0',
    '6: limits.requests: must be a whole number of at least 1',
    `7: limits.time: ${seconds}`,
  ],
  [
    'policy:\n  decides: [silent]\n  excused:\n    - requirement: nothing.*\n      reason: " "\n    - requirement: auth.**',
    '4: policy.decides[0]: must be one of must, derived, advisory',
    '7: policy.excused[0].reason: must be text that is not blank',
    '8: policy.excused[1].reason: is missing',
  ],
  [
    `policy: { excused: [{ requirement: ${'a'.repeat(70_000)}, reason: x }] }`,
    '3: policy.excused[0].requirement: is far too long; write a shorter one',
  ],
])('an invalid member is refused with its line: %j', async (text, ...lines) => {
  expect(await listFaults(withMembers(text), env)).toEqual(lines.map((line) => `plumbline.yaml:${line}`));
});

const noUrl = 'must be a URL that begins with http:// or https://';
const noBase =
  'must be a valid URL without user name, password, query and fragment, since paths are appended to it';
const refusalsOf = (members: string) => listFaults(`target: { base_url: "http://h.test/v1", ${members} }`);

test.each([
  ...['ftp://h.test/v1', 'h.test/v1', 'http:h.test', 'http:///v1', ''].map((url) => [url, noUrl] as const),
  ...[
    'h.test:99999/v1',
    'me@h.test/v1',
    '@h.test/v1',
    'h.test/v1#',
    'h.test/v1?',
    'h.test/v1\\n',
    'h.test/v 1',
  ].map((rest) => [`https://${rest}`, noBase] as const),
])('an invalid address is refused: %j', async (url, message) => {
  const ofBase = await listFaults(`target:\n  base_url: "${url}"`);
  expect(ofBase).toEqual([`plumbline.yaml:2: target.base_url: ${message}`]);
  const ofRegional = await refusalsOf(`regional_base_url: "${url}"`);
  expect(ofRegional).toEqual([`plumbline.yaml:1: target.regional_base_url: ${message}`]);
});

const hosts = ['eu.h.test', 'eu.h.test:8443', 'EU-1.h.test', '[::1]:80', 'localhost'];
const noHosts = ['', 'https://eu.h.test', 'eu.h.test/v1', 'a b', 'eu.h.test:', 'a@b', '-a'];
const noHost = '1: target.regional_host: must be a host name, with a port where it needs one';

const hostRows = [
  ...hosts.map((host) => [host, []] as const),
  ...noHosts.map((host) => [host, [noHost]] as const),
];
test.each(hostRows)('the regional host %j is refused with %j', async (host, lines) => {
  expect(await refusalsOf(`regional_host: "${host}"`)).toEqual(lines.map((one) => `plumbline.yaml:${one}`));
});

test.each([
  [
    'both kinds of regional address',
    'target: { base_url: http://h.test/v1, regional_host: eu.test, regional_base_url: http://eu.test/v1 }',
    '1: target: must have only one of regional_host, regional_base_url',
  ],
  [
    'a target that is no mapping',
    'target: http://h.test/v1',
    '1: target: must be a mapping, its members (such as base_url) indented below it',
  ],
  ['no target', 'keys: {}', '1: target: is missing'],
  ['no address', 'keys: {}\ntarget: {}', '2: target.base_url: is missing'],
])('a profile with %s is refused', async (_what, text, line) => {
  expect(await listFaults(text)).toEqual([`plumbline.yaml:${line}`]);
});

test('a missing file, a folder, or half a pair of TLS files is refused', async () => {
  expect(await listFaults(withMembers('tls:\n  ca: none.pem\n  cert: .\n  key: plumbline.yaml'))).toEqual([
    'plumbline.yaml:4: tls.ca: its file does not exist; check the path',
    'plumbline.yaml:5: tls.cert: its file is a folder, not a file',
  ]);
  const missing = 'plumbline.yaml:3: tls.cert: is missing; key needs it';
  expect(await listFaults(withMembers('tls:\n  key: plumbline.yaml'))).toEqual([missing]);
});

test('tls.insecure is accepted only if every address is on loopback', async () => {
  const text = `target:
  base_url: https://127.0.0.1.nip.test/v1
  regional_base_url: https://eu.test/v1
interns: { own: ${id}1 }
store: { http: { method: PUT, url: "https://{intern}.test/{name}" } }
tls:
  insecure: true`;
  const message = (member: string) =>
    `plumbline.yaml:7: tls.insecure: is for targets on loopback only, and ${member} is not; trust its certificate with tls.ca`;
  const insecure = ['target.base_url', 'target.regional_base_url', 'store.http.url'].map(message);
  expect(await listFaults(text)).toEqual(insecure);
});

test('a regional address that is the target itself, and a foreign key that a role has, are refused', async () => {
  const listOf = (regional: string) =>
    listFaults(`target:
  base_url: https://staging.test/v1
  ${regional}
keys: { outsider: sk-outsider-0123 }
interns: { foreign: ${id}1 }
store:
  http: { method: PUT, path: "/{intern}/secrets/{name}" }
  scopes: { foreign: { key: sk-outsider-0123 } }`);
  const todo = 'give a regional address, or remove it';
  const ofKey =
    'plumbline.yaml:8: store.scopes.foreign.key: is the same key as keys.outsider; give one of the workspace of interns.foreign';
  expect(await listOf('regional_base_url: https://staging.test/v1/')).toEqual([
    `plumbline.yaml:3: target.regional_base_url: is the same as target.base_url; ${todo}`,
    ofKey,
  ]);
  expect(await listOf('regional_host: STAGING.test:443')).toEqual([
    `plumbline.yaml:3: target.regional_host: is the hostname of target.base_url; ${todo}`,
    ofKey,
  ]);
});

test('equal interns, and stored names of an intern without an ID, are refused', async () => {
  const text = `${target}\ninterns:\n  own: ${id}a\n  foreign: ${id}A\nstore: { names: { sibling: [b] } }`;
  expect(await listFaults(text)).toEqual([
    'plumbline.yaml:4: interns.foreign: is the same as interns.own; they must differ',
    'plumbline.yaml:5: store.names.sibling: interns has no ID for sibling; add it there',
  ]);
});

test('a profile is refused with all faults of its form, then with all others, in the order of the lines', async () => {
  const places = async (text: string) =>
    (await listFaults(text)).map((line) => line.split(': ').slice(0, 2).join(': '));
  expect(
    await places(`target:
  base_url: nothing
keys:
  member: \${UNSET_ONE}
  management: \${UNSET_TWO}
interns: { own: x }
later: 1`),
  ).toEqual([
    'plumbline.yaml:2: target.base_url',
    'plumbline.yaml:4: keys.member',
    'plumbline.yaml:5: keys.management',
    'plumbline.yaml:6: interns.own',
    'plumbline.yaml:7: later',
  ]);
  expect(
    await places(`headers: { Host: x }
tls: { ca: none.pem }
target: { base_url: https://me@h.test }
policy: { excused: [{ requirement: nothing, reason: x }] }`),
  ).toEqual([
    'plumbline.yaml:1: headers.Host',
    'plumbline.yaml:2: tls.ca',
    'plumbline.yaml:3: target.base_url',
    'plumbline.yaml:4: policy.excused[0].requirement',
  ]);
});

test('a line of a fault begins with the given path', async () => {
  const folder = folderOf({ 'conf/stage.yaml': 'target: {}' });
  const before = process.cwd();
  process.chdir(folder);
  try {
    await expect(readProfile('conf/stage.yaml', {})).rejects.toMatchObject({
      lines: ['conf/stage.yaml:1: target.base_url: is missing'],
    });
  } finally {
    process.chdir(before);
  }
});
