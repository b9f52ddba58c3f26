import type { Report } from '../../spec/report.js';
import { counted } from '../amount-text.js';
import { RequirementLinks } from './requirement-links.js';

/** What waivers and the policy let pass; nothing where they changed nothing. */
export function GateNotes({ gate: { waived, excused } }: Pick<Report, 'gate'>) {
  return (
    <>
      {waived.length > 0 && (
        <details class="note">
          <summary>{counted(waived.length, 'violation')} waived: known, and let pass by the gate</summary>
          <RequirementLinks ids={waived} />
        </details>
      )}
      {excused.length > 0 && (
        <details class="note">
          <summary>{counted(excused.length, 'requirement')} unproven, and excused by the policy</summary>
          <RequirementLinks ids={excused} />
        </details>
      )}
    </>
  );
}
