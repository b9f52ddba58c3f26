import type { Fault } from '../../../../reference/vocabulary.js';
import { type Extra, type Part, removal } from '../requests.js';
import type { Request, Script } from '../script.js';
import { faults, look, script, sent, stored } from '../steps.js';

const LONG = 'x'.repeat(65);
const LONGEST = 'y'.repeat(255);
const NAMES = ['token', 'q', 'a1', LONG, LONGEST];

type Reason = Extra & { readonly intern?: Part };

// What alone is enough to refuse a delete.
const REASONS: Readonly<Record<string, Reason>> = {
  'no key': { authorization: () => undefined },
  'an unknown key': { authorization: () => 'Bearer sk-none' },
  'a key in another case': { authorization: (key) => `Bearer ${key.toLowerCase()}` },
  'a disabled key': { role: 'disabled' },
  'a provisioning key': { role: 'provisioning' },
  'no scope': { role: 'unscoped' },
  'an outsider': { role: 'outsider' },
  'writes disabled': { role: 'write_disabled' },
  'the regional host': { headers: { Host: 'eu.vault.test' } },
  'the regional host in upper case': { headers: { Host: 'EU.VAULT.TEST' } },
  'the regional host with a port': { headers: { Host: 'eu.vault.test:443' } },
  'the regional host in upper case with a port': { headers: { Host: 'EU.VAULT.TEST:443' } },
  'a foreign intern': { intern: ({ here }) => here.interns.foreign },
  'an unknown intern': { intern: '2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b26' },
  'a malformed intern': { intern: 'no-uuid' },
  "the other world's key": { from: 'there' },
};

const FAULTS: readonly Fault[] = [
  'vault_rate_limited',
  'scope_lookup_failed',
  'vault_unreachable',
  'vault_bad_response',
  'vault_writes_disabled',
  'vault_not_configured',
  'vault_timeout',
  'route_deadline',
];

// What should make no difference.
const CIRCUMSTANCES: readonly Extra[] = [
  {},
  { query: '?x=1' },
  { query: '?force=true' },
  { query: '?dry_run=true' },
  { body: '{"x":1}', headers: { 'Content-Type': 'application/json' } },
  { body: 'text', headers: { 'Content-Type': 'text/plain' } },
  { body: '{}', headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' } },
  { headers: { Origin: 'https://app.example' } },
  { headers: { 'Accept-Encoding': 'gzip' } },
  { headers: { Accept: 'text/html' } },
  { headers: { 'X-Forwarded-For': '10.0.0.1' } },
  { headers: { Connection: 'close' } },
];

function crossed(reason: Reason): readonly Request[] {
  const requests = CIRCUMSTANCES.map((circumstance) =>
    removal('token', { ...reason, ...circumstance, headers: { ...plain(reason), ...plain(circumstance) } }),
  );
  return [
    ...requests,
    ...NAMES.slice(1).map((name) => removal(name, reason)),
    removal('absent', reason),
    removal('absent', { ...reason, query: '?x=1' }),
    removal('absent', { ...reason, body: '{"x":1}' }),
    removal('%74oken', reason),
    ...(reason.intern === undefined
      ? [...NAMES, 'only_sibling'].map((name) =>
          removal(name, { ...reason, intern: ({ here }) => here.interns.sibling }),
        )
      : []),
  ];
}

function plain({ headers }: Extra): Readonly<Record<string, string>> {
  return typeof headers === 'function' ? {} : ((headers ?? {}) as Readonly<Record<string, string>>);
}

const shelves = [
  ...(['own', 'sibling', 'foreign', 'workspace'] as const).flatMap((scope) =>
    NAMES.map((name) => stored(scope, name)),
  ),
  stored('sibling', 'only_sibling'),
];

/** Every reason to refuse a delete beside what should make no difference. */
export const crossingScripts: readonly Script[] = [
  script(
    'reasons and circumstances',
    shelves,
    Object.values(REASONS).flatMap((reason) => [...sent(crossed(reason)), look]),
  ),
  script(
    'faults and circumstances',
    shelves,
    FAULTS.flatMap((fault) => [faults(fault), ...sent(crossed({})), look, ...shelves]),
  ),
  script(
    'circumstances alone',
    shelves,
    crossed({}).flatMap((request) => [
      ...sent([request]),
      look,
      stored('own', 'token'),
      stored('sibling', 'token'),
    ]),
  ),
];
