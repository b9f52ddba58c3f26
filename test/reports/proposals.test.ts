import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderWaiverProposal } from '../../reports/proposals.js';
import { reportSituation } from '../../spec/situation.js';
import { sampleFailure, sampleReport } from './sample-report.js';

const options = { decides: ['must', 'derived'], expires: '2030-01-31' } as const;
const id = 'vault-delete.404.other-intern';

it('proposes one entry for each situation of what decides, reason and owner open', () => {
  const failures = [
    sampleFailure(id, { situation: 'one' }),
    sampleFailure(id, { situation: 'one' }),
    sampleFailure(id, { situation: 'two' }),
    sampleFailure('key-info.usage.nested', { situation: 'three' }),
    sampleFailure('secrecy.key-echo', { situation: 'advice' }),
  ];
  const text = renderWaiverProposal(sampleReport({ failures }), options);
  const open = { reason: null, owner: null, expires: '2030-01-31' };
  expect(parse(text ?? '')).toEqual({
    waivers: [
      { id, situation: 'one', ...open },
      { id, situation: 'two', ...open },
      { id: 'key-info.usage.nested', situation: 'three', ...open },
    ],
  });
  const advice = renderWaiverProposal(sampleReport({ failures }), { ...options, decides: ['advisory'] });
  expect(parse(advice ?? '').waivers).toEqual([{ id: 'secrecy.key-echo', situation: 'advice', ...open }]);
});

it('proposes nothing for what is waived, newer or shown again, or where nothing failed', () => {
  expect(renderWaiverProposal(sampleReport(), options)).toBeUndefined();
  const failures = [sampleFailure(id), sampleFailure('auth.bearer')];
  const passedOver = sampleReport({ failures, waived: [id], newer: ['auth.bearer'] });
  expect(renderWaiverProposal(passedOver, options)).toBeUndefined();
  const situation = { operation: 'vault-delete', outcome: 204, request: 'DELETE own/a name' } as const;
  const again = sampleFailure('vault-delete.204.takes-effect', reportSituation({ ...situation, as_in: id }));
  const shown = [again, sampleFailure(id, reportSituation(situation))];
  const text = renderWaiverProposal(sampleReport({ failures: shown }), options) ?? '';
  expect(parse(text).waivers.map((waiver: { id: string }) => waiver.id)).toEqual([id]);
});

it('keeps text of a server inside its comment and its quotes', () => {
  const hostile = 'x\n  - id: auth.bearer # "\\ \u001b[31m \u2028: { ] *a &b !c';
  const failures = [sampleFailure(id, { situation: hostile, message: hostile })];
  const text = renderWaiverProposal(sampleReport({ failures }), options) ?? '';
  const waiver = { id, situation: hostile, reason: null, owner: null, expires: '2030-01-31' };
  expect(parse(text)).toEqual({ waivers: [waiver] });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u2028]/);
});
