import { listOfferedWords } from '../../generators/inputs.js';
import { consultOracle, listRequirements, predictFate } from '../../generators/oracle.js';
import { makeValidName } from '../../generators/secret-name.js';
import { drawSequence, type SequenceStep, sequenceNames } from '../../generators/sequence.js';
import { locateSecret, type StoredPlace, type VaultSituation } from '../../generators/situation.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property-check.js';
import { vaultRequestsPerWorld } from '../../judge/run-limits.js';
import { keepsRows } from '../../judge/world-audit.js';
import { type Fault, interns, type Scope } from '../../spec/vocabulary.js';
import { type Destination, expectGone, makeCall } from '../requests.js';

/** The known state of a secret; after a timeout, either is possible. */
type Known = 'stored' | 'gone' | 'either';

/** A world, and what is known of it. */
interface KnownWorld extends Destination {
  readonly secrets: Map<string, Known>;
  fault: Fault | undefined;
}

const makeKey = (scope: Scope, name: string): string => `${scope}/${name}`;

async function runStep(step: SequenceStep, known: KnownWorld): Promise<void> {
  if (step.do === 'delete') await runDelete(step, known);
  else if (step.do === 'store') {
    await known.world.store(step.scope, step.name);
    known.secrets.set(makeKey(step.scope, step.name), 'stored');
  } else {
    known.fault = step.fault === 'none' ? undefined : step.fault;
    await known.world.setFaults(...(known.fault === undefined ? [] : [known.fault]));
  }
}

type DeleteStep = Extract<SequenceStep, { readonly do: 'delete' }>;

async function runDelete(step: DeleteStep, known: KnownWorld): Promise<void> {
  const { secrets, fault } = known;
  const secret = makeKey(step.intern, step.name);
  const before = secrets.get(secret) ?? 'gone';
  const isOpen = before === 'either';
  const expected = consultOracle(makeSituation(step, isOpen ? 'there' : locate(step, secrets), fault));
  const all = isOpen ? [expected, consultOracle(makeSituation(step, 'nowhere', fault))] : [expected];
  const isThere = makeSituation(step, 'there', fault);
  const call = makeCall(isThere, known, { name: step.name });
  const { answer } = await call.expectOneOf({
    allowed: new Map(all.flatMap(({ allowed }) => [...allowed])),
    due: expected.due,
    maySucceed: all.some(({ maySucceed }) => maySucceed),
  });
  const fate = predictFate(isThere, answer.status);
  if (fate === 'gone') secrets.set(secret, 'gone');
  else if (fate === 'either' && before === 'stored') secrets.set(secret, 'either');
}

function makeSituation(
  { as, host, intern, name }: DeleteStep,
  stored: StoredPlace,
  fault: Fault | undefined,
): VaultSituation {
  const plain = { operation: 'vault-delete', as, host, intern, name: makeValidName(name), stored } as const;
  return fault === undefined ? plain : { ...plain, fault };
}

/** Says where a secret is as far as is known, seen from the intern that the step names. */
function locate({ intern, name }: DeleteStep, secrets: KnownWorld['secrets']): StoredPlace {
  const scopes = [intern, 'own', 'sibling', 'workspace', 'foreign'] as const;
  const found = scopes.find((scope) => secrets.get(makeKey(scope, name)) === 'stored');
  return found === undefined ? 'nowhere' : locateSecret(intern, found);
}

/** Asserts that every secret is still there or gone as it should be, and deletes what is left. */
async function assertSecrets({ world, api, secrets, fault }: KnownWorld): Promise<void> {
  if (fault !== undefined) await world.setFaults();
  for (const intern of ['own', 'sibling'] as const) {
    for (const name of sequenceNames) {
      const known = secrets.get(makeKey(intern, name));
      if (known === 'stored')
        await api.expectStillStored({ intern, name }, 'vault-delete.204.only-the-named');
      else if (known === 'either') await api.deleteSecret({ intern, name }).send();
      else if (known === 'gone') await expectGone(api, { intern, name });
    }
  }
}

function usesTwoWorlds(steps: readonly SequenceStep[]): boolean {
  return new Set(steps.map(({ world }) => world)).size > 1;
}

/** All deletes of a sequence: they name known interns and legal names, and add nothing to the request. */
const everyDelete = {
  intern: interns,
  breaks: 'nothing',
  query: false,
  body: false,
  origin: false,
  announced: false,
  proxyHeaders: false,
  isInOtherCase: false,
} as const;

/** §4.1 and §7.1 over time: what is stored, after any steps. */
export const sequenceProperty: GeneratedCheck = property<readonly SequenceStep[]>({
  name: 'sequences',
  title:
    'Whatever was stored, deleted and broken before, a delete gets what the document allows, and takes one secret only.',
  decides: [
    'vault-delete.204.only-the-named',
    'vault-delete.204.takes-effect',
    ...listRequirements('vault-delete', everyDelete),
    ...keepsRows,
  ],
  needs: ['store', 'role:member', 'worlds'],
  control: 'vault-delete',
  count: { quick: 0, standard: 20, deep: 600 },
  // Every sequence has its own worlds, free of what an earlier one left behind.
  vaultRequests: vaultRequestsPerWorld,
  pool: () => 'spoiled',
  requestsPerCase: 20,
  cases: (offers) => ({ walk: [], arbitrary: drawSequence(listOfferedWords(offers)) }),
  classOf: (steps) => (usesTwoWorlds(steps) ? 'two worlds' : 'one world'),
  run: async (steps, { world, api, openWorld }) => {
    const begin = (to: Destination): KnownWorld => ({ ...to, secrets: new Map(), fault: undefined });
    const first = begin({ world, api });
    const worlds = [first, usesTwoWorlds(steps) ? begin(await openWorld()) : first] as const;
    for (const step of steps) await runStep(step, worlds[step.world]);
    for (const known of new Set(worlds)) await assertSecrets(known);
  },
});
