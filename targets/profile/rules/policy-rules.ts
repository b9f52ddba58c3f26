import { matchesOf, UnusablePattern } from '../../../spec/id-patterns.js';
import { ledger } from '../../../spec/ledger.js';
import type { YamlFault } from '../../yaml/place.js';
import type { ProfileDraft } from '../draft.js';

/** What is excused is in the ledger: a pattern that matches nothing would excuse nothing, silently. */
export function policyFaults(draft: ProfileDraft): readonly YamlFault[] {
  const excused = draft.at('policy', 'excused');
  if (!Array.isArray(excused)) return [];
  const rows = excused.flatMap((_row, index) => {
    const place = ['policy', 'excused', String(index), 'requirement'];
    const pattern = draft.text(...place);
    return pattern === undefined || pattern.trim() === '' ? [] : [{ place, pattern }];
  });
  try {
    const ids = ledger.map(({ id }) => id);
    const matches = matchesOf(
      rows.map(({ pattern }) => pattern),
      ids,
    );
    return rows
      .filter(({ pattern }) => matches.get(pattern)?.length === 0)
      .map(({ place }) => ({
        place,
        message: 'matches no requirement; "plumbline requirements" lists their ids',
      }));
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    const { place = [] } = rows.find(({ pattern }) => pattern === error.pattern) ?? {};
    return [{ place, message: error.why }];
  }
}
