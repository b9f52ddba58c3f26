import picomatch from 'picomatch';
import { ledger } from '../../../spec/ledger.js';
import type { YamlFault } from '../../yaml/place.js';
import type { ProfileDraft } from '../draft.js';

/** What is excused is in the ledger: a pattern that matches nothing would excuse nothing, silently. */
export function policyFaults(draft: ProfileDraft): readonly YamlFault[] {
  const excused = draft.at('policy', 'excused');
  if (!Array.isArray(excused)) return [];
  return excused.flatMap((_row, index) => {
    const place = ['policy', 'excused', String(index), 'requirement'];
    const pattern = draft.text(...place);
    if (pattern === undefined || pattern.trim() === '' || matchesSome(pattern)) return [];
    return [{ place, message: 'matches no requirement; "plumbline requirements" lists their ids' }];
  });
}

function matchesSome(pattern: string): boolean {
  try {
    const matches = picomatch(pattern);
    return ledger.some(({ id }) => matches(id));
  } catch {
    // A pattern that is far too long.
    return false;
  }
}
