import { describe, expect, it, test } from 'vitest';
import { applyWaivers, type Waiver } from '../../../judge/waivers.js';
import type { RequirementId } from '../../../spec/ledger.js';
import type { Report } from '../../../spec/report.js';
import { reportSituation, type Situation } from '../../../spec/situation.js';
import { type SampleChanges, sampleFailure, sampleReport } from '../../reports/sample-report.js';

const id: RequirementId = 'vault-delete.404.other-intern';
const parts: Situation = { operation: 'vault-delete', outcome: 204, request: 'DELETE own/a name as member' };
const { situation, case: code } = reportSituation(parts);

function waiver(changes: Partial<Waiver> = {}): Waiver {
  return { id, situation, reason: 'known', owner: 'me', expires: '2030-01-31', at: 'w.yaml:3', ...changes };
}

function weigh(
  waivers: readonly Waiver[],
  changes: SampleChanges,
  depth: Report['run']['depth'] = 'standard',
) {
  return applyWaivers(waivers, { ...sampleReport(changes), depth });
}

/** A waiver that names no words. */
function byCase(named: string): Waiver {
  const { situation: _, ...rest } = waiver();
  return { ...rest, case: named };
}

const violated = (...situations: readonly string[]): SampleChanges => ({
  failures: situations.map((one) => sampleFailure(id, { situation: one })),
});

describe('a waiver', () => {
  it('covers the violation that it names', () => {
    expect(weigh([waiver()], violated(situation))).toEqual({ waived: [id], faults: [], notes: [] });
    expect(weigh([waiver()], violated(situation, situation)).waived).toEqual([id]);
  });

  it('goes by its case where it has one, whatever its words', () => {
    const failures = [sampleFailure(id, reportSituation(parts))];
    expect(weigh([byCase(code), waiver({ case: code, situation: 'other' })], { failures })).toEqual({
      waived: [id],
      faults: [],
      notes: [],
    });
    const { waived, faults } = weigh([waiver({ case: 'vault-delete-204-00000000' })], { failures });
    expect([waived, faults]).toEqual([
      [],
      [
        `w.yaml:3: ${id} is violated, but not in the case "vault-delete-204-00000000"; it is in "${code}"; remove the waiver, or name the case that it is for`,
      ],
    ]);
  });

  it('covers no other of the same requirement: one that is open decides for all', () => {
    const other = 'vault-delete answered 500 to DELETE own/a name as member';
    expect(weigh([waiver()], violated(situation, other))).toEqual({ waived: [], faults: [], notes: [] });
    expect(weigh([waiver(), waiver({ situation: other })], violated(situation, other)).waived).toEqual([id]);
  });

  it('covers no violation of another requirement', () => {
    const failures = [sampleFailure('auth.bearer', { situation })];
    expect(weigh([waiver()], { failures }).waived).toEqual([]);
  });

  it('covers what a drawn case showed again under another', () => {
    const again = sampleFailure('vault-delete.204.takes-effect', reportSituation({ ...parts, as_in: id }));
    const failures = [sampleFailure(id, reportSituation(parts)), again];
    for (const named of [waiver(), byCase(code)])
      expect(weigh([named], { failures }).waived).toEqual(['vault-delete.204.takes-effect', id]);
  });

  it('is wrong where its requirement is violated in another situation', () => {
    const { waived, faults } = weigh([waiver({ situation: 'other' })], violated(situation));
    expect(waived).toEqual([]);
    expect(faults).toEqual([
      `w.yaml:3: ${id} is violated, but not in the situation "other"; it is in "${situation}"; remove the waiver, or name the situation that it is for`,
    ]);
  });

  it('is stale where its requirement holds', () => {
    expect(weigh([waiver()], {}).faults).toEqual([
      `w.yaml:3: the waiver is stale: ${id} holds now; remove it`,
    ]);
    expect(weigh([waiver()], {}, 'quick').faults[0]).toContain('at depth quick');
  });

  test.each<readonly [string, SampleChanges, number]>([
    ['was not selected', { rows: { [id]: ['not-exercised', 'not selected'] } }, 0],
    ['could not be exercised', { rows: { [id]: ['not-exercised', 'would take a key'] } }, 1],
    ['was not decided', { rows: { [id]: ['inconclusive', 'out of time'] } }, 1],
  ])('is left as it is where its requirement %s', (_name, changes, notes) => {
    const told = weigh([waiver()], changes);
    expect([told.waived, told.faults, told.notes.length]).toEqual([[], [], notes]);
  });

  it('of a drawn case is not proven stale or wrong by another seed', () => {
    const named = reportSituation({ operation: 'vault-delete', outcome: 204, drawn: true });
    for (const drawn of [waiver({ situation: named.situation }), byCase(named.case)]) {
      for (const changes of [{}, { failures: [sampleFailure(id, reportSituation(parts))] }]) {
        const { faults, notes } = weigh([drawn], changes);
        expect([faults, notes.length]).toEqual([[], 1]);
      }
    }
  });

  it('is not proven wrong at depth quick, which leaves situations out', () => {
    const { faults, notes } = weigh([waiver({ situation: 'other' })], violated(situation), 'quick');
    expect([faults, notes.length]).toEqual([[], 1]);
  });
});
