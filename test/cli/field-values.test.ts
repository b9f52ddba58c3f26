import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import type { Failure } from '../../spec/report.js';
import { watchSecrets } from '../behaviours.js';
import { fileOf } from '../folders.js';
import { listFailures } from '../report-rows.js';
import { runOnReference } from './plumbline-process.js';
import { expectNoSecret, readWritten } from './secret-search.js';

const only =
  '{key-info.field.*,key-info.field-presence,guardrail-read.field.*,key-info.200.read,guardrail-read.200.read,auth.missing-key,envelope.user_id}';

async function runFields(behaviour: Partial<Behaviour>, flags = '') {
  const watch = watchSecrets(behaviour);
  const usual = '--depth quick --format json,markdown';
  const run = await runOnReference({ behaviour: watch.behaviour }, `--only ${only} ${usual}${flags}`);
  const text = (name: string) => readFileSync(join(run.directory, name), 'utf8');
  return { ...run, watch, report: run.report(), text };
}

type Judged = Awaited<ReturnType<typeof runFields>>;

function failuresOf({ report }: Judged): ReadonlyMap<string, Failure> {
  return new Map(listFailures(report).map((failure) => [failure.requirement, failure]));
}

/** Wrong in one field of each kind; nothing here differs from run to run. */
const wrongFields: Partial<Behaviour> = {
  keyInformation: (call, key) => {
    const { usage_daily: _, ...rest } = conforming.keyInformation(call, key);
    return { ...rest, limit: '12', is_free_tier: null };
  },
  guardrailView: (call, guardrail) => ({
    ...conforming.guardrailView(call, guardrail),
    id: 'urn:uuid:1',
    allowed_providers: ['acme', 7],
    updated_at: '2025-02-29T10:00:00Z',
    content_filter_builtins: [{ slug: 'email', label: 5, action: 'redact' }],
  }),
  envelope: (call, refusal) => ({ ...conforming.envelope(call, refusal), user_id: 7 }),
};

const wrong: Readonly<Record<string, readonly [message: string, expected: string]>> = {
  'key-info.field.limit': ['data.limit must be a number or null, got "12"', 'a number or null (§2.2)'],
  'key-info.field.is_free_tier': ['data.is_free_tier must be a boolean, got null', 'a boolean (§2.2)'],
  'key-info.field-presence': ['data.usage_daily is missing', 'every field of §2.2 but rate_limit'],
  'guardrail-read.field.id': ['data.id must be a UUID, got "urn:uuid:1"', 'a UUID (§2.1)'],
  'guardrail-read.field.allowed_providers': [
    'data.allowed_providers.1 must be a string, got 7',
    'a string (§2.1)',
  ],
  'guardrail-read.field.updated_at': [
    'data.updated_at must be an ISO 8601 timestamp in UTC, got "2025-02-29T10:00:00Z"',
    'an ISO 8601 timestamp in UTC (§2.1)',
  ],
  'guardrail-read.field.content_filter_builtins': [
    'data.content_filter_builtins.0.label must be a string, got 5',
    'a string (§2.1)',
  ],
  'envelope.user_id': ['user_id must be a string or null, got 7', 'a string, null or absent'],
};

// Written by a run of 0.1.0.
const situations: Readonly<Record<string, string>> = {
  'key-info.field.limit': 'key-info answered 200: data.limit must be number,null',
  'key-info.field.is_free_tier': 'key-info answered 200: data.is_free_tier must be boolean',
  'guardrail-read.field.id': 'guardrail-read answered 200: data.id must match pattern "…"',
  'guardrail-read.field.allowed_providers':
    'guardrail-read answered 200: data.allowed_providers.[] must be string',
  'guardrail-read.field.updated_at': 'guardrail-read answered 200: data.updated_at must match pattern "…"',
  'guardrail-read.field.content_filter_builtins':
    'guardrail-read answered 200: data.content_filter_builtins.[].label must be string',
};

it('a finding about a field shows its value and what the document says, and keeps its situation and waivers of 0.1.0', async () => {
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const waivers = Object.entries(situations).map(
    ([id, situation]) =>
      `- { id: ${id}, situation: '${situation}', reason: known, owner: me, expires: ${day} }\n`,
  );
  const file = fileOf(waivers.join(''), 'waivers.yaml');
  const run = await runFields(wrongFields, ` --waivers ${file}`);
  const failures = failuresOf(run);
  const summary = run.text('summary.md');
  for (const [id, [message, expected]] of Object.entries(wrong)) {
    const failure = failures.get(id);
    expect([id, failure?.actual, failure?.expected]).toEqual([id, message, expected]);
    expect(failure?.message).toMatch(/^[a-z-]+ \d{3} \(.*\): /);
    expect(failure?.message.endsWith(message)).toBe(true);
    expect(summary).toContain(message);
    expect(run.words).toContain(message);
  }

  // A missing field has had its own requirement since, and the envelope has no waiver.
  expect([run.code, run.stderr]).toEqual([1, expect.not.stringContaining('waiver')]);
  expect(run.report.gate.waived.toSorted()).toEqual(Object.keys(situations).toSorted());
});

it('a finding about a field redacts a long value before it cuts it to 100 characters', async () => {
  // The key begins well before the hundredth character and ends behind it.
  const run = await runFields({
    keyInformation: (call, key) => ({
      ...conforming.keyInformation(call, key),
      limit: `${'-'.repeat(80)}${key.text}${'+'.repeat(200_000)}`,
      usage: [key.text, 'x'.repeat(9_000), key.text],
      label: { key: key.text },
    }),
  });
  const failures = failuresOf(run);
  expect(failures.get('key-info.field.label')?.actual).toMatch(
    /^data\.label must be a string, got \{"key":"\$PLUMBLINE_KEY_[A-Z_]+"\}$/,
  );
  for (const id of ['key-info.field.limit', 'key-info.field.usage']) {
    const [, value = ''] = failures.get(id)?.actual.split(', got ') ?? [];
    expect(value).toMatch(/\$PLUMBLINE_K.*…$/);
    expect([...value]).toHaveLength(100);
  }
  expectNoSecret(readWritten(run.directory, run), [...run.watch.keys, ...run.watch.values]);
});
