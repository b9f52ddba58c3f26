import { describe, expect, it } from 'vitest';
import { passiveRules } from '../../judge/passive-rules.js';
import { ledger, type RequirementId, type RequirementRow } from '../../spec/ledger.js';
import { allChecks } from '../../suites/all-checks.js';
import { Canaries, noKeys } from '../../targets/leak-detection.js';

const passive = passiveRules(new Canaries(), noKeys).map(({ requirement }) => requirement);
const decided = new Set<RequirementId>([...allChecks.flatMap(({ decides }) => decides), ...passive]);
// What depth quick sends beside the others is among these.
const everyCheck = allChecks;
const isJudged = ({ level, unseen }: RequirementRow) => level !== 'silent' && unseen === undefined;

describe('every requirement', () => {
  it('that a client can see is decided by a check or a passive rule', () => {
    const forgotten = ledger.filter((row) => isJudged(row) && !decided.has(row.id));
    expect(forgotten.map(({ id }) => id)).toEqual([]);
  });

  it('that no client can see is decided by none', () => {
    const judged = ledger.filter(({ id, unseen }) => unseen !== undefined && decided.has(id));
    expect(judged.map(({ id }) => id)).toEqual([]);
  });

  it('where the document is silent is decided by no passive rule', () => {
    const judged = ledger.filter(({ id, level }) => level === 'silent' && passive.includes(id));
    expect(judged.map(({ id }) => id)).toEqual([]);
  });
});

describe('every check', () => {
  it('has an id of its own', () => {
    const ids = everyCheck.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('is named after the requirement that it is there for', () => {
    const known = new Set<string>(ledger.map(({ id }) => id));
    const strange = everyCheck.filter(
      ({ id, requirement }) =>
        !known.has(requirement) || (id !== requirement && !id.startsWith(`${requirement}/`)),
    );
    expect(strange.map(({ id }) => id)).toEqual([]);
  });

  it('decides its own requirement first, and each once', () => {
    const strange = everyCheck.filter(
      ({ requirement, decides }) => decides[0] !== requirement || new Set(decides).size < decides.length,
    );
    expect(strange.map(({ id }) => id)).toEqual([]);
  });

  it('that decides nothing else than a silent row is there to observe it', () => {
    const silent = new Set<string>(ledger.filter(({ level }) => level === 'silent').map(({ id }) => id));
    const observing = everyCheck.filter(({ decides }) => decides.every((id) => silent.has(id)));
    expect(observing.map(({ id }) => id)).toEqual(['secret-name.routing']);
  });
});
