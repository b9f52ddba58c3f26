import type { YamlFault } from '../../yaml/place.js';
import type { ProfileDraft } from '../draft.js';
import { holds, type Placeholder, placeholders } from '../placeholders.js';

const interns = ['own', 'sibling'];
const texts = ['url', 'path', 'body'] as const;

/** A recipe stores under the name it is given, and where it is told to. */
export function storeFaults(draft: ProfileDraft): readonly YamlFault[] {
  return [...recipeFaults(draft), ...unknownPlaceholders(draft), ...keyFaults(draft)];
}

function recipeFaults(draft: ProfileDraft): readonly YamlFault[] {
  const http = ['store', 'http'] as const;
  const given = texts.filter((member) => draft.has(...http, member));
  // What is not known yet may hold them.
  if (given.length === 0 || given.some((member) => draft.isUnfilled(...http, member))) return [];
  const holdsOne = (...words: readonly Placeholder[]) =>
    given.some((member) => words.some((word) => holds(draft.at(...http, member), word)));
  const scopes: unknown =
    draft.at(...http, 'scopes') ?? interns.filter((intern) => draft.has('interns', intern));
  const faults: YamlFault[] = [];
  if (!holdsOne('{name}'))
    faults.push({ place: http, message: 'holds {name} neither in its address nor in its body' });
  if (Array.isArray(scopes) && scopes.length > 1 && !holdsOne('{intern}', '{scope}')) {
    const message =
      'holds neither {intern} nor {scope}, so that all scopes would be one; or give one in scopes';
    faults.push({ place: http, message });
  }
  return faults;
}

/** A brace in an address that opens no placeholder: a mistyped one would be stored as it stands. */
function unknownPlaceholders(draft: ProfileDraft): readonly YamlFault[] {
  const message = `holds a brace that is none of ${placeholders.join(', ')}; write %7B or %7D for a brace itself`;
  return (['url', 'path'] as const)
    .map((member) => ['store', 'http', member] as const)
    .filter((place) =>
      /[{}]/.test((draft.text(...place) ?? '').replace(/\{(?:intern|name|value|scope)\}/g, '')),
    )
    .map((place) => ({ place, message }));
}

function keyFaults(draft: ProfileDraft): readonly YamlFault[] {
  const role = draft.text('store', 'http', 'key');
  if (role === undefined || draft.has('keys', role)) return [];
  return [{ place: ['store', 'http', 'key'], message: 'keys gives no key for this role; add it there' }];
}
