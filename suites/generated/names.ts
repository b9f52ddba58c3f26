import { listOfferedWords } from '../../generators/inputs.js';
import { illegalWalk, legalNames, legalWalk, oddWalk } from '../../generators/name-catalogue.js';
import {
  addRunPrefix,
  type InvalidName,
  invalidNameClasses,
  labelName,
  makeValidName,
  nameRules,
  secretName,
  type ValidName,
} from '../../generators/secret-name.js';
import type { CheckContext } from '../../judge/api.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property-check.js';
import type { RequirementId } from '../../spec/ledger.js';
import { storeBystanders } from './situations.js';

const control = 'vault-delete';
const needs = ['store', 'role:member'] as const;
const punctuation: RequirementId = 'secret-name.refuses.punctuation';
const followsRules = 'the name follows the rules';

/** Stores a name and deletes it. */
async function deletes({ text }: ValidName, { world, api }: CheckContext): Promise<string> {
  // Where it carries a prefix it may be a name of another class.
  const { rule, text: name } = makeValidName(addRunPrefix(world.prefix, text));
  await world.store('own', name);
  await api.deleteSecret({ name }).expectStatus(204, { requirement: rule, because: followsRules });
  return name;
}

/** What becomes of it is the routing's affair: it is sent, and nothing is asserted of its answer. */
function isRoutingAmbiguous(name: InvalidName): boolean {
  return name.class === 'routing-ambiguous';
}

const acceptingRows: readonly [RequirementId, ...RequirementId[]] = [
  'secret-name.accepts.letters',
  'secret-name.accepts.shortest',
  'secret-name.accepts.longest',
  'secret-name.accepts.digits',
  'secret-name.accepts.underscores',
];

/** §2.3 and §8.3 for more names than a check can list. */
export const nameProperties: readonly GeneratedCheck[] = [
  property<ValidName>({
    name: 'valid-names',
    title: 'Every legal name can be stored and deleted, once.',
    decides: [...acceptingRows, 'vault-delete.204.takes-effect'],
    needs,
    control,
    count: { quick: 0, standard: 100, deep: 4_000 },
    vaultRequests: 2,
    cases: (offers) => {
      const isSent = (name: ValidName) => offers('worlds') || name.class !== 'shortest';
      return {
        walk: legalNames.filter(isSent),
        arbitrary: secretName.valid().filter(isSent),
        classes: [...(offers('worlds') ? ['shortest'] : []), 'longest', 'letters', 'digits', 'underscores'],
      };
    },
    classOf: (name) => name.class,
    run: async (name, context) => {
      const deleted = await deletes(name, context);
      await context.api.deleteSecret({ name: deleted }).expectStatus(404, {
        requirement: 'vault-delete.204.takes-effect',
        because: 'it was deleted before',
      });
    },
  }),
  property<InvalidName>({
    name: 'invalid-names',
    title: 'Every name that breaks a rule is refused with 400, and reaches no secret that it looks like.',
    decides: [punctuation, ...nameRules.filter((id) => id !== punctuation), 'secret-name.identity'],
    needs,
    control,
    count: { quick: 1, standard: 180, deep: 5_000 },
    vaultRequests: 2,
    requestsAbout: 1,
    cases: (offers) => {
      const { withoutNames } = listOfferedWords(offers);
      return {
        walk: withoutNames.includes('routing-ambiguous') ? illegalWalk : [...illegalWalk, ...oddWalk],
        arbitrary: secretName.invalid(withoutNames),
        classes: invalidNameClasses.filter((word) => !withoutNames.includes(word)),
      };
    },
    classOf: (name) => name.class,
    pool: (name) => (isRoutingAmbiguous(name) ? 'spoiled' : undefined),
    run: async (name, { world, api, offers }) => {
      const { rule, raw, class: word, looksLike } = name;
      const request = { name: { label: labelName(name), raw: addRunPrefix(world.prefix, raw) } };
      if (isRoutingAmbiguous(name)) {
        if (offers('inspect')) await storeBystanders(world, offers);
        await api.deleteSecret({ ...request, reaches: 'perhaps' }).send();
        return;
      }
      if (looksLike !== undefined) await world.store('own', looksLike);
      await api
        .deleteSecret(request)
        .expectStatus(400, { requirement: rule, because: `the name breaks a rule: ${word}` });
      if (looksLike !== undefined) await api.stillStored({ name: looksLike }, 'secret-name.identity');
    },
  }),
  property<ValidName>({
    name: 'legal-signs',
    title:
      'Names of every legal length, and with every legal character at every place, can be stored and deleted.',
    decides: acceptingRows,
    needs,
    control,
    count: { quick: 0, standard: 0, deep: 0 },
    vaultRequests: 1,
    cases: () => ({ walk: legalWalk, arbitrary: secretName.valid(), classes: [] }),
    classOf: (name) => name.class,
    run: async (name, context) => {
      await deletes(name, context);
    },
  }),
];
