import { listOfferedWords } from '../../generators/inputs.js';
import { consultOracle, listRequirements, predictFate } from '../../generators/oracle.js';
import { makeValidName } from '../../generators/secret-name.js';
import { drawSequence, type Step, sequenceNames } from '../../generators/sequence.js';
import { locateSecret, type StoredPlace, type VaultSituation } from '../../generators/situation.js';
import type { Api } from '../../judge/api.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property-check.js';
import { vaultRequestsPerWorld } from '../../judge/run-limits.js';
import { keepsRows } from '../../judge/world-audit.js';
import type { Fault, Scope } from '../../spec/vocabulary.js';
import type { World } from '../../targets/world.js';
import { type Destination, expectGone, makeCall } from '../requests.js';

/** The known state of a secret; after a timeout, either is possible. */
type Known = 'stored' | 'gone' | 'either';

interface WorldModel {
  readonly secrets: Map<string, Known>;
  fault: Fault | undefined;
}

const makeKey = (scope: Scope, name: string): string => `${scope}/${name}`;

async function runStep(step: Step, model: WorldModel, { world, api }: Destination): Promise<void> {
  if (step.do === 'store') {
    await world.store(step.scope, step.name);
    model.secrets.set(makeKey(step.scope, step.name), 'stored');
  } else if (step.do === 'fault') {
    model.fault = step.fault === 'none' ? undefined : step.fault;
    await world.setFaults(...(model.fault === undefined ? [] : [model.fault]));
  } else {
    await runDelete(step, model, world, api);
  }
}

type DeleteStep = Extract<Step, { readonly do: 'delete' }>;

async function runDelete(step: DeleteStep, model: WorldModel, world: World, api: Api): Promise<void> {
  const secret = makeKey(step.intern, step.name);
  const known = model.secrets.get(secret) ?? 'gone';
  const places: readonly StoredPlace[] = known === 'either' ? ['there', 'nowhere'] : [locate(step, model)];
  const all = places.map((stored) => consultOracle(makeSituation(step, stored, model.fault)));
  const [first = consultOracle(makeSituation(step, 'nowhere', model.fault))] = all;
  const call = makeCall(makeSituation(step, 'there', model.fault), { world, api }, { name: step.name });
  const { answer } = await call.expectOneOf({
    allowed: new Map(all.flatMap(({ allowed }) => [...allowed])),
    due: first.due,
    maySucceed: all.some(({ maySucceed }) => maySucceed),
  });
  const fate = predictFate(makeSituation(step, 'there', model.fault), answer.status);
  if (fate === 'gone') model.secrets.set(secret, 'gone');
  else if (fate === 'either' && known === 'stored') model.secrets.set(secret, 'either');
}

function makeSituation(
  { as, host, intern, name }: DeleteStep,
  stored: StoredPlace,
  fault: Fault | undefined,
): VaultSituation {
  const plain = { operation: 'vault-delete', as, host, intern, name: makeValidName(name), stored } as const;
  return fault === undefined ? plain : { ...plain, fault };
}

/** Says where a secret is according to the model, seen from the intern that the step names. */
function locate({ intern, name }: DeleteStep, { secrets }: WorldModel): StoredPlace {
  const scopes = [intern, 'own', 'sibling', 'workspace', 'foreign'] as const;
  const found = scopes.find((scope) => secrets.get(makeKey(scope, name)) === 'stored');
  return found === undefined ? 'nowhere' : locateSecret(intern, found);
}

/** Asserts that every secret is still there or gone as the model says, and deletes what is left. */
async function assertModel({ secrets, fault }: WorldModel, { world, api }: Destination): Promise<void> {
  if (fault !== undefined) await world.setFaults();
  for (const intern of ['own', 'sibling'] as const) {
    for (const name of sequenceNames) {
      const known = secrets.get(makeKey(intern, name));
      if (known === 'stored') await api.stillStored({ intern, name }, 'vault-delete.204.only-the-named');
      else if (known === 'either') await api.deleteSecret({ intern, name }).send();
      else if (known === 'gone') await expectGone(api, { intern, name });
    }
  }
}

function usesTwoWorlds(steps: readonly Step[]): boolean {
  return new Set(steps.map(({ world }) => world)).size > 1;
}

/** §4.1 and §7.1 over time: what is stored, after any steps. */
export const sequenceProperty: GeneratedCheck = property<readonly Step[]>({
  name: 'sequences',
  title:
    'Whatever was stored, deleted and broken before, a delete gets what the document allows, and takes one secret only.',
  decides: [
    'vault-delete.204.only-the-named',
    'vault-delete.204.takes-effect',
    ...listRequirements('vault-delete'),
    ...keepsRows,
  ],
  needs: ['store', 'role:member', 'worlds'],
  control: 'vault-delete',
  count: { quick: 0, standard: 20, deep: 600 },
  // Every sequence has its own worlds, free of what an earlier one left behind.
  vaultRequests: vaultRequestsPerWorld,
  pool: () => 'spoiled',
  requestsAbout: 20,
  cases: (offers) => ({
    walk: [],
    arbitrary: drawSequence(listOfferedWords(offers)),
    classes: ['one world', 'two worlds'],
  }),
  classOf: (steps) => (usesTwoWorlds(steps) ? 'two worlds' : 'one world'),
  run: async (steps, { world, api, openWorld }) => {
    const first = { world, api };
    const worlds = [first, usesTwoWorlds(steps) ? await openWorld() : first] as const;
    const models: readonly [WorldModel, WorldModel] = [
      { secrets: new Map(), fault: undefined },
      { secrets: new Map(), fault: undefined },
    ];
    for (const step of steps) await runStep(step, models[step.world], worlds[step.world]);
    await assertModel(models[0], worlds[0]);
    await assertModel(models[1], worlds[1]);
  },
});
