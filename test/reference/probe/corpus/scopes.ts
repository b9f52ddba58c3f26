import type { Intern } from '../../../../reference/vocabulary.js';
import { guardrailRead, keyRead, listing, own, removal } from '../requests.js';
import type { Script } from '../script.js';
import { look, script, sent, stock, stored } from '../steps.js';
import { NEAR_IDS, STRANGE_IDS } from './ids.js';

const INTERNS: readonly Intern[] = ['own', 'sibling', 'foreign'];
const ONLY = ['only_own', 'only_sibling', 'only_foreign', 'only_workspace', 'only_there', 'token', 'token_2'];

/** What lies in one scope asked for in every other, and ids of every kind. */
export const scopeScripts: readonly Script[] = [
  script(
    'wrong scopes',
    stock,
    INTERNS.flatMap((intern) =>
      ONLY.flatMap((name) => [
        ...sent([removal(name, { intern: ({ here }) => here.interns[intern] })]),
        look,
        ...sent([
          removal(name, { intern: ({ there }) => there.interns[intern] }),
          removal(name, { intern: ({ here }) => here.interns[intern], from: 'there' }),
        ]),
        look,
        // What is rightly deleted is stored again; whatever else is gone has been seen.
        ...(name === `only_${intern}` || !name.startsWith('only_') ? [stored(intern, name)] : []),
      ]),
    ),
    stock,
    sent([
      removal('token', { intern: ({ here }) => here.workspace_id }),
      removal('only_workspace', { intern: ({ here }) => here.workspace_id }),
      removal('token', { intern: ({ here }) => here.guardrail_id }),
      removal('token', { intern: ({ here }) => here.id }),
    ]),
    look,
  ),
  script(
    'long names in wrong scopes',
    [
      'x'.repeat(64),
      'x'.repeat(65),
      'x'.repeat(128),
      'long_name_'.repeat(20).concat('end'),
      'x'.repeat(255),
    ].flatMap((name) =>
      (['own', 'sibling', 'foreign', 'workspace'] as const).flatMap((scope) => [
        stored(scope, name),
        ...INTERNS.flatMap((intern) => [
          ...sent([removal(name, { intern: ({ here }) => here.interns[intern] })]),
          look,
        ]),
      ]),
    ),
  ),
  script(
    'what happens later',
    stock,
    sent([removal('token'), removal('token', { intern: ({ here }) => here.interns.sibling })]),
    { do: 'pause', ms: 60 },
    look,
    sent([
      removal('absent'),
      removal('only_own', { role: 'write_disabled' }),
      removal('only_own', { role: 'outsider' }),
    ]),
    { do: 'pause', ms: 60 },
    look,
    sent([removal('token'), removal('only_own')]),
    look,
  ),
  script(
    'stored again',
    [1, 2, 3].flatMap((time) => [
      stored('own', 'token', `value ${time}`),
      look,
      ...sent([removal('token')]),
      look,
      ...sent([removal('token')]),
    ]),
    stored('own', 'token', 'one'),
    stored('own', 'token', 'two'),
    sent([removal('token'), removal('token')]),
    look,
  ),
  script(
    'intern ids',
    stock,
    sent([
      removal('token', { intern: (worlds) => own(worlds).toUpperCase() }),
      ...STRANGE_IDS.map((id) => removal('token_2', { intern: (worlds) => id(own(worlds)) })),
      ...NEAR_IDS.map((id) => removal('token_2', { intern: (worlds) => id(own(worlds)) })),
    ]),
    look,
  ),
  script(
    'values of every kind',
    stock,
    [
      '',
      'x',
      'hush-hush',
      'sk-live-0123456789abcdef',
      '"quoted" \\ back',
      'two\nlines',
      '{"error":{"code":200}}',
      'é ü 漢 🔑',
      ' blanks around ',
      'v'.repeat(10_000),
    ].flatMap((value) => [
      stored('own', 'token', value),
      stored('sibling', 'token', value),
      ...sent([
        removal('Token'),
        removal('token', { role: 'write_disabled' }),
        removal('token', { role: 'outsider' }),
        removal('token', { authorization: () => undefined }),
        removal('absent'),
        listing(),
        keyRead(),
        guardrailRead(),
        removal('token'),
        removal('token'),
      ]),
    ]),
    look,
  ),
];
