import { expect, it } from 'vitest';
import type { Answer, Behaviour } from '../../reference/behaviour.js';
import type { Mutant } from '../../reference/mutant.js';
import { mutants } from '../../reference/mutants.js';
import { editAnswer, type Mutation } from '../../reference/mutation.js';
import { combineVariants } from '../../reference/variant.js';
import { groupByCause, renderCause } from '../../reports/causes.js';
import { splitFailed } from '../../reports/failed-requirements.js';
import type { Failure, Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { makeEnvelope } from '../behaviours.js';
import { judgeReference } from '../judge/judge-reference.js';

/** Mutants of every kind of fault with words of the sentence that names it: operation, statuses or field. */
const faults = {
  'vault-delete.any-workspace':
    "vault-delete answers 204 instead of 404, for DELETE another workspace's intern",
  'vault-delete.401-deletes-without-key': 'vault-delete deletes a secret although it answers 401',
  'vault-delete.204-as-200-with-query': 'vault-delete answers 200 instead of 204 or 400',
  'vault-delete.204-with-content-length': 'vault-delete: expected a 204 with no body',
  'secret-name.accepts-256-characters': 'for DELETE own/a name of 256 characters',
  'guardrail-read.data-missing': 'guardrail-read 200: the body has no data object',
  'guardrail-read.never-fresh': 'guardrail-read: wrong values in name, description',
  'key-info.label-missing': 'key-info: data.label is missing',
  'key-info.limit-null-with-remaining': 'key-info: expected limit 500, got limit null',
  'key-info.daily-above-weekly': 'key-info: wrong values in usage_daily, usage_weekly',
  'envelope.vault-404-without-message': 'vault-delete 404: error.message is missing',
  'envelope.guardrail-401-text-plain': 'guardrail-read answers 401 with JSON announced as text/plain',
  'envelope.vault-401-code-403': 'vault-delete 401: error.code is 403',
  'envelope.every-third-error-without-error': 'error is missing',
  'inference.model-down-500':
    'inference answers 500 instead of 502, for POST free model as member and 1 other request (arranged: model_down)',
  'stream-error.code-as-string': 'the in-band error event: error.code must be an integer',
  'stream-error.event-missing': 'the in-band error event: expected an event, ended by a blank line',
  'stream-error.media-type-json': 'inference answers 200 with an event stream announced as application/json',
  'rate-limit.21-per-minute': 'inference answers 200 instead of 429',
  'secrecy.value-in-502-message': 'vault-delete 502: a response body holds the value of a stored secret',
} as const;
type FaultId = keyof typeof faults;

function findMutant(id: FaultId): Mutant {
  const mutant = mutants.find((one) => one.id === id);
  if (mutant === undefined) throw new Error(`There is no mutant ${id}.`);
  return mutant;
}

async function judge(behaviour: Mutation): Promise<Report> {
  const judging = { behaviour, checks: allChecks, depth: 'quick', concurrency: 16 } as const;
  return (await judgeReference(judging)).report;
}

const sentences: readonly string[] = ['message', 'expected', 'actual', 'because', 'situation', 'request'];

/** The same report in other words, which change no group: violations are grouped by data. */
function translate(report: Report): Report {
  const translated = JSON.stringify(report, (name, value: unknown) =>
    sentences.includes(name) && typeof value === 'string' ? 'Wort' : value,
  );
  return JSON.parse(translated) as Report;
}

function listGroups(report: Report) {
  return groupByCause(report).map(({ requirements }) => requirements.map(({ id }) => id));
}

/** One server with several faults; those of them that change answers do so one after another. */
function combineFaults(ids: readonly FaultId[]): Mutation {
  const rows = ids.map(findMutant).map((mutant) => ({ ...mutant, section: '' }));
  const changes = rows.flatMap(({ mutation }) => mutation.answer ?? []);
  const answer: Behaviour['answer'] = (given, call) =>
    changes.reduce((changed, change) => change(changed, call), given);
  return { ...combineVariants(rows).mutation, answer };
}

/** The faults of one server show in different answers, and change no other decision of it twice. */
const faultyServers: readonly (readonly FaultId[])[] = [
  [
    ...(['vault-delete.any-workspace', 'guardrail-read.data-missing'] as const),
    ...(['key-info.daily-above-weekly', 'stream-error.event-missing'] as const),
  ],
  [
    ...(['vault-delete.401-deletes-without-key', 'guardrail-read.never-fresh'] as const),
    ...(['key-info.label-missing', 'stream-error.media-type-json'] as const),
  ],
  [
    ...(['vault-delete.204-as-200-with-query', 'envelope.guardrail-401-text-plain'] as const),
    'rate-limit.21-per-minute',
  ],
  [
    ...(['vault-delete.204-with-content-length', 'secrecy.value-in-502-message'] as const),
    'secret-name.accepts-256-characters',
  ],
  ['envelope.vault-404-without-message', 'envelope.vault-401-code-403', 'inference.model-down-500'],
  [
    ...(['envelope.every-third-error-without-error', 'stream-error.code-as-string'] as const),
    'key-info.limit-null-with-remaining',
  ],
];

it('every fault is that of one server', () => {
  expect(faultyServers.flat().sort()).toEqual(Object.keys(faults).sort());
});

// Many wait, so that they go side by side.
it.concurrent.each(faultyServers.map((ids) => [ids.join(', '), ids] as const))(
  'all that fails of a server is as many groups as it has faults, named by them: %s',
  async (_ids, ids) => {
    const report = await judge(combineFaults(ids));
    const causes = groupByCause(report);
    const named = causes.map(renderCause);
    expect(named).toHaveLength(ids.length);
    for (const id of ids) expect(named).toContainEqual(expect.stringContaining(faults[id]));
    expect(listGroups(translate(report))).toEqual(listGroups(report));
    // Whoever is accused is shown the exchange.
    const failures = causes.flatMap((cause) => cause.failures.map(({ failure }) => failure));
    const isBare = ({ exchanges, mismatch }: Failure) => exchanges.length === 0 || mismatch === undefined;
    expect(failures.filter(isBare)).toEqual([]);
  },
);

const html = { 'Content-Type': 'text/html; charset=utf-8' };

it.concurrent.each<readonly [string, (answer: Answer) => Answer]>([
  ['refusals are answered 200 with an error in the body', (answer) => ({ ...answer, status: 200 })],
  ['refusals are answered 500', () => makeEnvelope(500)],
  ['text/html in place of JSON', ({ status }) => ({ status, headers: html, body: '<h1>Oops</h1>' })],
])('a server that answers every refusal alike has one group: %s', async (fault, change) => {
  const refused = { when: (_call: unknown, { status }: Answer) => status >= 400 };
  const report = await judge(editAnswer(refused, change));
  const [cause, ...others] = groupByCause(report);
  expect(others.map(renderCause)).toEqual([]);
  expect(cause?.fault).toContain(fault);
  expect(cause?.requirements).toHaveLength(splitFailed(report).deciding.length);
  expect(cause?.requirements.length).toBeGreaterThan(6);
});
