import type { GuardrailSituation, KeySituation, VaultSituation } from '../../generators/situation.js';

/** A kind of thing that can be unusual about a request. */
export type Trouble =
  | 'credential'
  | 'host'
  | 'intern'
  | 'id'
  | 'name'
  | 'stored'
  | 'fault'
  | 'method'
  | 'extras';

/** Everything that is unusual about a request; what comes along with it (query, body, headers) counts once. */
export function troublesOf(
  situation: VaultSituation | GuardrailSituation | KeySituation,
): readonly Trouble[] {
  const usual: Readonly<Record<string, readonly unknown[]>> = {
    as: [situation.operation === 'guardrail-read' ? 'management' : 'member'],
    host: ['global'],
    intern: ['own', 'sibling'],
    id: ['own'],
    stored: ['there'],
  };
  const found = Object.entries(situation).flatMap(([field, value]): readonly Trouble[] => {
    if (field === 'name') return typeof value === 'object' && 'text' in value ? [] : ['name'];
    const trouble = troubleOfField[field];
    return trouble === undefined || usual[field]?.includes(value) ? [] : [trouble];
  });
  return [...new Set(found)];
}

const troubleOfField: Readonly<Record<string, Trouble>> = {
  as: 'credential',
  host: 'host',
  intern: 'intern',
  id: 'id',
  stored: 'stored',
  fault: 'fault',
  method: 'method',
  query: 'extras',
  body: 'extras',
  headers: 'extras',
};
