import type { Intern } from '../../../spec/vocabulary.js';
import type { Place, YamlFault } from '../../yaml/place.js';
import type { ProfileDraft } from '../draft.js';

const interns: readonly Intern[] = ['own', 'sibling', 'foreign'];

/** Lists whose entries name interns; a scope `workspace` names none. */
const naming: readonly Place[] = [
  ['disposable_interns'],
  ['store', 'http', 'scopes'],
  ['store', 'command', 'scopes'],
];

/** Interns are told apart, and those that other members speak of have an id. */
export function internFaults(draft: ProfileDraft): readonly YamlFault[] {
  const listed = naming.flatMap((place) => draft.texts(...place));
  const stored = interns
    .map((intern) => [['store', 'names', intern], intern] as const)
    .filter(([place]) => draft.has(...place));
  const unnamed = [...listed, ...stored]
    .filter(([, intern]) => interns.some((known) => known === intern) && !draft.has('interns', intern))
    .map(([place, intern]) => ({ place, message: `interns gives no id for ${intern}; add it there` }));
  return [...unnamed, ...sameInterns(draft)];
}

/** A sibling that is the intern itself would make every refusal look broken. */
function sameInterns(draft: ProfileDraft): readonly YamlFault[] {
  const ids = interns.map((intern) => draft.text('interns', intern)?.toLowerCase());
  return interns.flatMap((intern, index) => {
    const first = ids.indexOf(ids[index]);
    if (ids[index] === undefined || first === index) return [];
    return [
      { place: ['interns', intern], message: `is the same as interns.${interns[first]}; they must differ` },
    ];
  });
}
