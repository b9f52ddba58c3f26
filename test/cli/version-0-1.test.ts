import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CTRFReport } from 'ctrf';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { mergeReports } from '../../judge/merge-reports.js';
import { applyWaivers, readWaivers } from '../../judge/waivers.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { refuseLast, type When } from '../../reference/mutation.js';
import type { Comparison } from '../../reports/comparison.js';
import { loadReport } from '../../reports/load-report.js';
import type { Report } from '../../spec/report.js';
import { behaveAsMutant } from '../behaviours.js';
import { endingAfterwards } from '../ended-with-test.js';
import { fileOf, folder } from '../folders.js';
import { idsWith } from '../report-rows.js';
import { findElements } from '../reports/xml-element.js';
import { serveReference } from '../servers.js';
import { plumbline, readReport } from './plumbline-process.js';

interface Published {
  readonly mutant: string;
  readonly only: readonly string[];
  /** Seeds with which a run of today draws the same cases: those of the violations, and those of the gate. */
  readonly seeds: { readonly violations: number; readonly gate: number };
  readonly fingerprints: readonly unknown[];
  readonly ctrf: readonly string[];
  readonly junit: readonly string[];
  readonly gate: Report['gate'];
  readonly code: number;
}

const fixtures = fileURLToPath(new URL('fixtures/0.1.0/', import.meta.url));

function json<Value>(...path: readonly string[]): Value {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as Value;
}

interface WaiverEntry {
  readonly id: string;
  readonly case?: string;
  readonly situation?: string;
}

function entriesOf(text: string): readonly WaiverEntry[] {
  return (parse(text) as { readonly waivers: readonly WaiverEntry[] }).waivers;
}

/** How many cases show the violations of a folder. */
const enough: Readonly<Record<string, string>> = {
  'shown-again': ' --cases 60',
  drawn: '',
  rule: ' --cases 5',
};

describe.each(Object.keys(enough))('the files of version 0.1.0 in %s', (name) => {
  const published = json<Published>(fixtures, name, 'published.json');
  const { seeds } = published;
  const waivers = readFileSync(join(fixtures, name, 'waivers.yaml'), 'utf8');

  const asThen = behaveAsMutant(published.mutant);
  // Version 0.1.0 drew names of 97 letters here. Today a header of some drawn cases shows the like, with any seed.
  const isDrawn: When = ({ headers, key }) => 'accept-language' in headers && key?.role !== 'member';
  const drawn = name === 'drawn' ? refuseLast('vault-delete', 400, isDrawn) : {};
  const asDrawn = { ...asThen, ...drawn };

  /** Runs with the cases that show the violations, in a folder of its own that has the waivers. */
  async function run(behaviour: Behaviour, flags: string) {
    const { controlUrl } = await serveReference({ behaviour });
    const cwd = folder();
    writeFileSync(join(cwd, 'waivers.yaml'), waivers);
    const only = published.only.map((id) => ` --only ${id}`).join('');
    const args = `run --control ${controlUrl}${only}${enough[name] ?? ''} --report out ${flags}`;
    const { code } = await plumbline(args, { cwd });
    return { cwd, code, report: readReport(join(cwd, 'out')) };
  }

  /** The folder of a run of today that finds the same violations and proposes waivers for them. */
  let today: Awaited<ReturnType<typeof run>>;
  beforeAll(() =>
    endingAfterwards(async () => {
      today = await run(asDrawn, `--propose-waivers proposed.yaml --seed ${seeds.violations}`);
    }),
  );

  it('waivers of version 0.1.0 still cover the same violations, by words and by newly proposed cases', async () => {
    const proposed = entriesOf(readFileSync(join(today.cwd, 'proposed.yaml'), 'utf8'));
    const named = ({ id, situation }: WaiverEntry) => ({ id, situation });
    expect(proposed.map(named)).toEqual(entriesOf(waivers).map(named));
    const { code, report } = await run(asThen, `--waivers waivers.yaml --seed ${seeds.gate}`);
    const { grounds: _, ...gate } = report.gate;
    expect([code, gate]).toEqual([published.code, published.gate]);
    const byCase = entriesOf(waivers).map(({ situation: _, ...entry }, at) => ({
      ...entry,
      case: proposed[at]?.case,
    }));
    const applied = await readWaivers(fileOf(stringify(byCase)), {
      selects: () => true,
      today: '2029-01-01',
    });
    const coveredIn = ({ requirements, checks, run: { depth } }: Report) =>
      applyWaivers(applied, { requirements, checks, depth });
    expect(coveredIn(report)).toMatchObject({ waived: published.gate.waived, faults: [] });
    expect(coveredIn(today.report).waived.toSorted()).toEqual(idsWith(today.report, 'fail').toSorted());
  });

  it('reports have the same fingerprints and test case names as in version 0.1.0', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'report.json'), readFileSync(join(fixtures, name, 'report.json')));
    expect((await plumbline(['report', '--from', '.'], { cwd })).code).toBe(0);
    const sarif = json<{
      readonly runs: readonly [
        { readonly results: readonly { readonly ruleId: string; readonly partialFingerprints: unknown }[] },
      ];
    }>(cwd, 'results.sarif');
    expect(sarif.runs[0].results.map((result) => [result.ruleId, result.partialFingerprints])).toEqual(
      published.fingerprints,
    );
    const { tests } = json<CTRFReport>(cwd, 'ctrf.json').results;
    // Version 0.1.0 had neither the test cases of the run nor those of newer checks.
    const named = tests.filter(
      ({ suite, message }) => suite?.[0] !== 'run' && !message?.startsWith('not sent: '),
    );
    expect(named.map((test) => test.name)).toEqual(published.ctrf);
    const ofChecks = '//testcase[@classname!="plumbline.run"][not(starts-with(*/@message, "not sent: "))]';
    const cases = findElements(readFileSync(join(cwd, 'junit.xml'), 'utf8'), ofChecks);
    expect(cases.map(({ attributes }) => attributes.name)).toEqual(published.junit);
  });

  it('compare finds the same violations in a report of version 0.1.0 and in one of today', async () => {
    const args = ['compare', join(fixtures, name), join(today.cwd, 'out'), '--format', 'json'];
    const { code, stdout, stderr } = await plumbline(args);
    expect([code, stderr]).toEqual([0, '']);
    const { requirements } = JSON.parse(stdout) as Comparison;
    const old = json<Report>(fixtures, name, 'report.json').requirements;
    const changeOf = (id: string) => requirements.find((row) => row.id === id)?.change ?? 'unchanged';
    for (const { id, status, reason } of old) {
      if (status === 'fail') expect([id, changeOf(id)]).toEqual([id, 'still-violated']);
      if (reason === 'not selected') expect([id, changeOf(id)]).toEqual([id, 'not-comparable']);
    }
  });
});

it('merge takes shards of version 0.1.0 and keeps waivers whose reason reads like an excuse', async () => {
  const [one, other] = await Promise.all(
    ['1', '2'].map((shard) => loadReport(join(fixtures, 'shards', shard))),
  );
  // Some checks of version 0.1.0 no longer exist.
  const order = json<readonly string[]>(fixtures, 'shards', 'order.json');
  const { verdict, gate, requirements } = mergeReports(one && other ? [one, other] : [], order);
  const published = json<Pick<Report, 'verdict' | 'gate'> & { readonly rows: readonly unknown[] }>(
    fixtures,
    'shards',
    'published.json',
  );
  const waived =
    'key-info.200.no-parameters: waived until 9999-12-31 (staging): the old gateway: excused by the policy: of the year 2029';
  expect({ verdict, gate, rows: requirements.map(({ id, status, reason }) => [id, status, reason]) }).toEqual(
    {
      verdict: published.verdict,
      gate: { ...published.gate, notes: [waived, ...published.gate.notes], grounds: expect.anything() },
      rows: published.rows,
    },
  );
});
