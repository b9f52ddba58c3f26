import { expect, it } from 'vitest';
import { check } from '../../judge/check.js';
import { collectEvidence, redactReport } from '../../judge/evidence.js';
import { keptWhole, TrafficLog } from '../../judge/traffic-log.js';
import type { Exchange } from '../../targets/exchange.js';
import { Redactor } from '../../targets/redaction.js';
import type { World } from '../../targets/world.js';
import { isVault, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { listFailures } from '../report-rows.js';
import { sampleReport } from '../reports/sample-report.js';
import { judgeReference } from './judge-reference.js';
import { key, knowing, sampleAnswer, sampleExchange, sampleFinding } from './samples.js';

/** Returns the evidence of a finding in the last exchange, after secrets were stored as given. */
function evidence(
  redactor: Redactor,
  exchanges: readonly Exchange[],
  storeSteps: NonNullable<World['storeSteps']> = [],
) {
  const findings = exchanges.slice(-1).map((exchange) => sampleFinding({ exchange }));
  const [found] = collectEvidence({ findings, exchanges }, redactor, [{ storeSteps }]);
  if (found === undefined) throw new Error('There is no evidence.');
  return found;
}

it('a failure shows the request, the answer and a command that repeats the request', async () => {
  const { report } = await judgeReference({
    only: ['vault-delete.404.unknown-intern'],
    depth: 'quick',
    behaviour: replaceAnswers(isVault(404), makeEnvelope(500)),
  });
  const failure = listFailures(report).find((one) => one.requirement === 'vault-delete.404.unknown-intern');
  expect(failure).toMatchObject({ expected: '404', actual: '500', confirmed: '3/3' });
  expect(failure?.exchanges.at(-1)).toMatchObject({
    request: {
      method: 'DELETE',
      headers: [
        ['User-Agent', `plumbline-conformance/${report.tool.version}`],
        ['X-Request-Id', expect.stringMatching(new RegExp(`^${report.run.id}-\\d+$`))],
        ['Authorization', 'Bearer $PLUMBLINE_KEY_MEMBER'],
      ],
      body: null,
    },
    response: { status: 500, truncated: false },
    lost: null,
  });
  const curl =
    /^curl -i --path-as-is -X DELETE -H "Authorization: Bearer \$PLUMBLINE_KEY_MEMBER" "http:\S+"$/;
  expect(failure?.reproduce.curl).toMatch(curl);
});

it('a finding keeps its last six exchanges with long bodies cut', () => {
  const many = Array.from({ length: 9 }, (_, at) => sampleExchange({ url: `http://127.0.0.1/v1/${at}` }));
  const { exchanges } = evidence(new Redactor(), [...many, sampleExchange({}, 'x'.repeat(5_000))]);
  expect(exchanges.map(({ request }) => request.url.split('/').at(-1)).join()).toBe('4,5,6,7,8,key');
  expect(exchanges.at(-1)).toMatchObject({
    ...{ at: '2030-01-02T00:00:00.000Z', duration_ms: 1 },
    response: { truncated: true, body: 'x'.repeat(4_000) },
  });
});

it('a cut body contains no half of a secret', () => {
  const body = `${'x'.repeat(3_990)}${key}`;
  const [found] = evidence(knowing(key), [sampleExchange({ body }, body)]).exchanges;
  const cut = `${'x'.repeat(3_990)}$PLUMBLINE`;
  expect([found?.request.body, found?.response?.body]).toEqual([cut, cut]);
});

it('a curl command is safe to paste into a shell', () => {
  const url = 'http://127.0.0.1/v1/a"b$(id)`id`\\';
  const headers = [['Authorization', '']] as const;
  const { curl } = evidence(new Redactor(), [
    sampleExchange({ method: 'POST', url, headers, body: '{"a":"$HOME"}' }),
  ]);
  expect(curl).toBe(
    'curl -i --path-as-is -X POST -H "Authorization;" --data-raw "{\\"a\\":\\"\\$HOME\\"}" "http://127.0.0.1/v1/a\\"b\\$(id)\\`id\\`\\\\"',
  );
});

it('a curl command with HEAD does not wait for the body that the answer announces', () => {
  const { curl } = evidence(new Redactor(), [
    sampleExchange({ method: 'HEAD', url: 'http://127.0.0.1/v1/key' }),
  ]);
  expect(curl).toMatch(/^curl -i --path-as-is --head .*"http:\/\/127\.0\.0\.1\/v1\/key"$/);
});

// The redactor does not know the escaped form of a key.
it('a curl command redacts a key that contains a dollar sign', () => {
  const dollar = 'sk-$plumbline-0123456789';
  const asked = sampleExchange({ headers: [['Authorization', `Bearer ${dollar}`]] });
  expect(evidence(knowing(dollar), [asked]).curl).not.toContain('plumbline-0123456789');
});

const harmless = ['./put2.sh', '--intern-id-of', 'X-Workspace-Name'];

it.each<[string, readonly string[], string]>([
  ['a flag', ['put', '--token', 'adm-5f0c3b7a9d21'], '"put" "--token" "<redacted>"'],
  ['a header', ['curl', '-H', 'X-Api-Key: adm-5f0c3b7a9d21'], '"curl" "-H" "X-Api-Key: <redacted>"'],
  ['a scheme', ['sh', '-c', "curl -H 'authorization: Bearer adm-5f0c3b7a9d21'"], 'Bearer <redacted>\'"'],
  ['a word of its own', ['put', 'adm-5f0c3b7a9d21', 'eu-west-1'], '"put" "<redacted>" "eu-west-1"'],
  ['a password', ['put', '-u', 'admin:5f0c3b7a9d21'], '"put" "-u" "admin:<redacted>"'],
  ['part of an address', ['put', 'https://u:pw@host/5f0c3b7a9d21'], '"https://<redacted>@host/<redacted>"'],
  ['a variable', ['put', '--token=$PUT_TOKEN_OF_CI'], '"put" "--token=\\$PUT_TOKEN_OF_CI"'],
  ['a variable of its file', ['put', '--token', key], '"put" "--token" "$PLUMBLINE_KEY_MEMBER"'],
  ['no credential', harmless, '"--intern-id-of" "X-Workspace-Name"'],
])('the command that stored a secret shows no credential that the profile writes as %s', (_as, run, line) => {
  const request = { method: 'DELETE', url: 'http://127.0.0.1/v1/vault/interns/i/secrets/plumb_a' };
  const step = { name: 'plumb_a', at: 0, step: { environment: {}, run } };
  const { curl } = evidence(knowing(key), [sampleExchange(request)], [step]);
  expect(curl).toContain(line);
});

it('a long head is cut at whole fields and says so', () => {
  const headers = Array.from({ length: 100 }, (_, at) => [`x-${at}`, 'y'.repeat(100)] as const);
  const answer = { status: 500, headers, text: '{}', truncated: false };
  const [{ response } = {}] = evidence(new Redactor(), [{ ...sampleExchange(), answer }]).exchanges;
  expect(response?.headers.length).toBe(28);
  expect(response?.headers.every(([, value]) => value.length === 100)).toBe(true);
  expect(response?.truncated).toBe(true);
});

it('a report is redacted and says so, with the same exit code, and names each file that contained a secret', () => {
  const clean = sampleReport();
  expect(redactReport(clean, knowing())).toBe(clean);
  const drawn = { ...clean, checks: [Object.create(null)] };
  expect(redactReport(drawn, knowing())).toBe(drawn);
  const report = sampleReport({ notes: [`it said ${key}`] });
  const notes = ['it said $PLUMBLINE_KEY_MEMBER', 'a secret was found in the report and removed'];
  expect(redactReport(report, knowing())).toEqual({ ...report, run: { ...report.run, notes } });
  const note = 'a secret was found in journal.ndjson and removed';
  expect(redactReport(clean, knowing(), ['journal.ndjson']).run.notes.at(-1)).toBe(note);
});

function exchange(body = '{}', headers: readonly (readonly [string, string])[] = []): Exchange {
  const asked = sampleExchange({ headers: [['Authorization', `Bearer ${key}`]] });
  return { ...asked, answer: sampleAnswer({ headers, text: body }) };
}

function openLog() {
  const lines: string[] = [];
  return { log: new TrafficLog(knowing(), (line) => lines.push(line)), lines };
}

it('the log keeps every exchange while there is room, redacted and with its check', () => {
  const { log, lines } = openLog();
  log.add(exchange(JSON.stringify({ told: key }), [['X-Echo', key]]), 'key-info.200.read');
  const [line = ''] = lines;
  expect(line).not.toContain(key);
  const name = '$PLUMBLINE_KEY_MEMBER';
  expect(JSON.parse(line)).toMatchObject({
    check: 'key-info.200.read',
    request: { headers: [['Authorization', `Bearer ${name}`]] },
    response: { headers: [['X-Echo', name]], body: `{"told":"${name}"}` },
  });
});

it('the log keeps a thinning sample once it is full', () => {
  const { log, lines } = openLog();
  const sent = 100_000;
  for (let count = 0; count < sent; count++) log.add(exchange(), 'key-info.200.read');
  expect(lines.length).toBeGreaterThan(keptWhole.exchanges + 200);
  expect(lines.length).toBeLessThan(keptWhole.exchanges + 1_500);
});

it('a few large bodies fill the log too', () => {
  const { log, lines } = openLog();
  const large = exchange('z'.repeat(100_000));
  for (let count = 0; count < 3_000; count++) log.add(large, 'key-info.200.read');
  expect(lines.length).toBeLessThan(1_300);
});

it('the log keeps the last exchanges of a failed attempt even when it is full, and none twice', () => {
  const { log, lines } = openLog();
  const all = Array.from({ length: keptWhole.exchanges + 2 }, () => exchange());
  for (const one of all) log.add(one, 'key-info.200.read');
  expect(lines).toHaveLength(keptWhole.exchanges);
  log.addFailed(all.slice(-3), 'key-info.200.read');
  expect(lines).toHaveLength(keptWhole.exchanges + 2);
  log.addFailed(all.slice(-3), 'key-info.200.read');
  expect(lines).toHaveLength(keptWhole.exchanges + 2);
});

it('exchanges are timed from when they leave, not from when they begin to wait for a slot', async () => {
  const exchanges: Exchange[] = [];
  const readsAtOnce = check('key-info.200.read', async ({ api }) => {
    await Promise.all(Array.from({ length: 20 }, () => api.readKey().expectStatus(200)));
  });
  const onExchange = (exchange: Exchange) => exchanges.push(exchange);
  await judgeReference({ checks: [readsAtOnce], concurrency: 1, onExchange });
  const ends = exchanges.map(({ startedAt, durationMs }) => startedAt + durationMs);
  const overlapping = exchanges.filter(({ startedAt }, at) => startedAt + 5 < (ends[at - 1] ?? 0));
  expect(exchanges.length).toBeGreaterThan(20);
  expect(overlapping).toEqual([]);
});
