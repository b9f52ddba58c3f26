import { setTimeout as sleep } from 'node:timers/promises';
import type { RequirementId } from '../spec/ledger.js';
import { makeReason } from '../spec/reasons.js';
import type { Operation } from '../spec/vocabulary.js';
import type { World } from '../targets/world.js';
import type { CheckContext } from './api.js';
import { type AttemptSpec, attempt, type RunContext } from './attempt.js';
import { plainRequests } from './call.js';
import { conclude, type FinalCheck, type Judgement, type JudgingContext, makeJudgement } from './check.js';
import { settlingMs } from './confirmation.js';
import { hasFinding, isClean, sumRequests } from './confirmation-history.js';
import { type Attempt, type Evidence, mayDependOnWorld } from './finding.js';
import type { Lease } from './world-pool.js';

const operations: readonly Operation[] = ['vault-delete', 'key-info', 'guardrail-read'];
const requirement = plainRequests['vault-delete'].requirement;
const takesEffect = 'vault-delete.204.takes-effect';
const onlyTheNamed = 'vault-delete.204.only-the-named';

// If a service treats one world in sixteen differently, 998 of 1,000 runs find one among so many worlds. After the first,
// as many more are tried to find a second.
const worldsTried = 96;
const worldsAtOnce = 12;
const worldsNeeded = 2;
// If so many worlds answer wrongly once and correctly another time, the world is not the cause.
const maxIntermittent = 4;
const repetitions = 5;
const pauseMs = 400;

/**
 * The check that every world is treated alike, whatever its keys and ids are. A service that treats a few worlds otherwise
 * looks like one with noise, since whatever is wrong there is right when it is repeated in a fresh world. The check tries
 * plain requests (§4), and the cases that were wrong in one world and right in others.
 */
export const everyWorldCheck: FinalCheck = {
  kind: 'final',
  id: `${requirement}/every-world`,
  requirement,
  decides: operations.map((operation) => plainRequests[operation].requirement),
  title: 'A request is answered alike in every world, whatever its keys and ids are.',
  needs: ['worlds', ...plainRequests['vault-delete'].needs],
  // A selection of reads alone deletes nothing.
  control: 'key-info',
  judge,
};

async function judge({ context, controls }: JudgingContext): Promise<Judgement> {
  const { rateLimits, wrongInOneWorld, audit, opening } = context;
  const isIntermittent = rateLimits.isNoisy || wrongInOneWorld.size > 0 || (audit?.suspects.length ?? 0) > 0;
  if (opening !== undefined || !isIntermittent || rateLimits.isAtWork)
    return makeJudgement(everyWorldCheck, 'skipped', makeReason('no-case'));
  const served = operations.filter((operation) => controls.hasSucceeded(operation));
  const plain: AttemptSpec = { subject: requirement, run: (world) => sendPlain(world, served) };
  const trials: Trial[] = [];
  for (const spec of [plain, ...wrongInOneWorld.values()]) {
    const trial = await new Trial(spec, context, controls).run();
    trials.push(trial);
    // The remaining cases most likely show the same fault.
    if (trial.violations.length > 0) break;
  }
  const violations = trials.flatMap((trial) => trial.violations);
  const reason = makeReason('disturbed', 'it was wrong throughout one world, and right in others');
  const suspected = new Map(
    trials.flatMap(({ found }) => [...found.keys()].map((id) => [id, reason] as const)),
  );
  const made = trials.flatMap(({ attempts }) => attempts);
  // What the cases are about is known only now.
  const decides = [...new Set([...everyWorldCheck.decides, ...suspected.keys()])];
  return conclude(
    { ...everyWorldCheck, decides },
    {
      violations,
      decide: (id) => (suspected.has(id) ? { outcome: 'inconclusive', reason } : undefined),
      cases: made.length,
      requests: sumRequests(made),
    },
  );
}

/** Sends the plain request of each operation, until one fails. */
async function sendPlain(context: CheckContext, served: readonly Operation[]): Promise<void> {
  for (const operation of served) {
    const { requirement: rule, success } = plainRequests[operation];
    if (operation === 'vault-delete') await deleteOneOfTwo(context);
    else await (await context.api.makePlain(operation)).expectStatus(success, { requirement: rule });
  }
}

/** Asserts that a delete takes the secret that it names, and no other. */
async function deleteOneOfTwo({ api, world }: CheckContext): Promise<void> {
  const [name, other] = [await world.store('own'), await world.store('own')];
  await api.deleteSecret({ name }).expectStatus(204, { requirement });
  await api
    .deleteSecret({ name })
    .expectStatus(404, { requirement: takesEffect, because: 'it was deleted before' });
  await api
    .deleteSecret({ name: other })
    .expectStatus(204, { requirement: onlyTheNamed, because: 'another secret was deleted' });
}

/** Makes the same attempt in many worlds, to find those in which it always fails. */
class Trial {
  readonly attempts: Attempt[] = [];
  /** What was found throughout a world, by requirement. */
  readonly found = new Map<RequirementId, Evidence[]>();
  #intermittent = 0;

  constructor(
    private readonly spec: AttemptSpec,
    private readonly context: RunContext,
    private readonly controls: JudgingContext['controls'],
  ) {}

  async run(): Promise<this> {
    const { spec, context } = this;
    // The outer attempt has the worlds, the inner ones send the requests.
    const outer: AttemptSpec = { ...spec, run: (given) => this.#tryWorld(given) };
    const isDecided = () => this.violations.length > 0 || this.#intermittent >= maxIntermittent;
    // A few worlds first: if each of them answers now one way and now the other, so will the rest.
    const mayBeViolated = () => [...this.found.values()].flat().some(({ trouble }) => trouble === undefined);
    const toTry = () => (mayBeViolated() ? 2 * worldsTried : worldsTried);
    for (let tried = 0, atOnce = maxIntermittent; tried < toTry(); atOnce = worldsAtOnce) {
      if (isDecided() || context.signal.aborted) break;
      await Promise.all(Array.from({ length: atOnce }, () => attempt(outer, context)));
      tried += atOnce;
    }
    return this;
  }

  get violations() {
    return [...this.found].flatMap(([id, [finding, ...others]]) => {
      // A service in trouble may give such an answer for as long as it likes.
      if (finding === undefined || others.length + 1 < worldsNeeded || finding.trouble !== undefined)
        return [];
      const { expected, actual, message } = finding;
      const violation = {
        ...finding,
        expected: `${expected}, as in other worlds`,
        actual: `${actual} throughout the world`,
        message: `${message}, throughout the world but not in others`,
      };
      const confirmed = `${repetitions}/${repetitions}`;
      return [{ ...violation, confirmed, origin: this.spec.origin ?? { check: id } }];
    });
  }

  /** Makes the attempt in a world. Where it fails, repeats it there, each time after it passes in another world. */
  async #tryWorld({ world, openWorld, signal }: CheckContext): Promise<void> {
    // A key may take effect a moment after its world was opened.
    await sleep(pauseMs, undefined, { signal });
    const { findings } = await this.#attemptIn(world);
    const finding = findings.find(mayDependOnWorld);
    if (finding === undefined) return;
    const { world: other } = await openWorld();
    for (let time = 0; time < repetitions; time++) {
      await sleep(pauseMs, undefined, { signal });
      if (await this.#recurs(finding, world, other)) continue;
      this.#intermittent += 1;
      return;
    }
    // The service may have lost the world, as when it is restarted.
    await world.store('own');
    const { requirement: id } = finding;
    this.found.set(id, [...(this.found.get(id) ?? []), finding]);
  }

  /** Whether the attempt passes in another world and then fails in this one as before. */
  async #recurs(finding: Evidence, world: World, other: World): Promise<boolean> {
    // At random: with a fixed number between, a service that fails every nth request would fail this world each time.
    for (let left = 1 + Math.round(Math.random()); left > 0; left--)
      if (!isClean(await this.#attemptIn(other, { second: world }))) return false;
    await this.controls.readAtRandom(this.context);
    const waitsBefore = finding.arrangement?.ordinal;
    return hasFinding(await this.#attemptIn(world, { second: other, waitsBefore }), finding.key);
  }

  /**
   * Makes the attempt in a world.
   * @param repeated set for a repetition: `second` is for a case that needs two worlds, since a third might never be free;
   * before the request with the ordinal `waitsBefore`, the service gets time to apply what was arranged
   */
  async #attemptIn(
    world: World,
    repeated?: { readonly second: World; readonly waitsBefore?: number | undefined },
  ): Promise<Attempt> {
    const { spec, context } = this;
    const { worlds, signal } = context;
    const lend = (one: World): Lease => ({ world: one, release: async () => undefined });
    const inWorld: RunContext['worlds'] = {
      hasFewWorlds: false,
      lease: async (request) => {
        if (request.isSecond !== true) return lend(world);
        return repeated === undefined ? worlds.lease(request) : lend(repeated.second);
      },
      closeUnused: () => worlds.closeUnused(),
    };
    const before = async (ordinal: number) => {
      if (repeated?.waitsBefore === ordinal) await sleep(settlingMs, undefined, { signal });
    };
    // A control that lost what it says to have stored would explain the finding.
    const verifiesClaims = repeated !== undefined;
    const inner: RunContext = { ...context, lock: undefined, worlds: inWorld, verifiesClaims };
    const made = await attempt({ ...spec, before }, inner);
    this.attempts.push(made);
    return made;
  }
}
