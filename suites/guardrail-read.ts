import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Fields, guardrailSettings } from '../generators/field-values.js';
import { encodeHyphens, otherVersionIds } from '../generators/ids.js';
import { chooseLanguage, encodedHyphen, pathSpellings } from '../generators/inputs.js';
import { plainGuardrail } from '../generators/situation.js';
import type { Api, CheckContext } from '../judge/api.js';
import { awaitAll } from '../judge/attempt.js';
import type { Call } from '../judge/call.js';
import { type Check, type CheckId, check } from '../judge/check.js';
import { parseUtcTimestamp } from '../spec/contract.js';
import type { Need } from '../spec/need.js';
import type { Role } from '../spec/vocabulary.js';
import { type Answered, asText, readData } from '../targets/exchange.js';
import { NotShown } from '../targets/world.js';
import { checkReadWithExtras } from './batches/reads.js';
import {
  expectReadable,
  isAccepted,
  isSameList,
  judgeFields,
  setEach,
  setIfAccepted,
} from './field-values.js';
import { laterMs, misplaceIds, nameWorkspace, writeSchemeInLowerCase } from './requests.js';

// §2.1, §4.2 and §7.2: reading a guardrail.

/** The checks of §2.1, §4.2 and §7.2. */
export const guardrailReadChecks: readonly Check[] = [
  check('guardrail-read.200.read', { isControl: true }, ({ api }) => api.readGuardrail().expectStatus(200)),
  checkReadWithExtras('guardrail-read.200.query-and-body/each', 'guardrail-read.200.read', plainGuardrail),
  check('guardrail-read.200.encoded-id', async ({ world, api }) => {
    const id = { label: 'its hyphens encoded', raw: encodeHyphens(world.guardrailId()) };
    await api.readGuardrail({ id }).expectStatus(200, { because: 'decoded once it is the id' });
  }),
  check('guardrail-read.200.same-workspace', judgeOwner),
  checkAfterChanges('guardrail-read.200.same-workspace/after-changes', ['feature:guardrail'], judgeOwner),
  check('guardrail-read.200.values', { sideEffects: 'settings' }, async ({ world, api, openWorld }) => {
    const other = await openWorld();
    for await (const [at, fields] of setEach(guardrailSettings, (row) => world.setGuardrail(row))) {
      const others = guardrailSettings[(at + 1) % guardrailSettings.length] ?? {};
      await isAccepted(() => other.world.setGuardrail(others));
      const call = api.readGuardrail({ headers: chooseLanguage(at) });
      judgeFields(call, await expectReadable(call, fields), 'guardrail-read.200.values', fields);
    }
  }),
  check('guardrail-read.200.values/vendors', { sideEffects: 'settings' }, async ({ world, api }) => {
    const data = readData(await api.readGuardrail().expectControl(200));
    const vendors = Object.keys(data).filter(
      (name) => name.startsWith('enforce_zdr_') && typeof data[name] === 'boolean',
    );
    const reads: { readonly call: Call; readonly exchange: Answered; readonly fields: Fields }[] = [];
    // Any two of five fields differ in one of these patterns, so that none can stand for another.
    for (const pattern of [0b10101, 0b11010, 0b00011, 0b01100]) {
      const fields = Object.fromEntries(vendors.map((name, at) => [name, ((pattern >> (at % 5)) & 1) === 1]));
      await setIfAccepted(() => world.setGuardrail(fields));
      const call = api.readGuardrail();
      reads.push({ call, exchange: await expectReadable(call, fields), fields });
    }
    // A control may accept the flag of a vendor without storing it, which is no fault of the read.
    const isSet = (name: string) => new Set(reads.map(({ exchange }) => readData(exchange)[name])).size > 1;
    if (!vendors.some(isSet)) throw new NotShown('the flags of vendors cannot be set');
    for (const { call, exchange, fields } of reads) {
      const set = Object.fromEntries(Object.entries(fields).filter(([name]) => isSet(name)));
      judgeFields(call, exchange, 'guardrail-read.200.values', set);
    }
  }),
  check('guardrail-read.management-key-only/at-once', async ({ api }) => {
    for (const _round of ['first', 'second', 'third'])
      await awaitAll([api.readGuardrail().expectControl(200), refuseOrdinaryKey(api, 'member')]);
  }),
  // Generated cases leave these roles out.
  ...(['free_small_second', 'free_large_exactly'] as const).map((as) =>
    check(`guardrail-read.management-key-only/${as}`, { needs: [`role:${as}`] }, async ({ api }) => {
      await api.readGuardrail().expectControl(200);
      await refuseOrdinaryKey(api, as);
    }),
  ),
  check('guardrail-read.200.changes-nothing', readTwice),
  // Times of a whole second differ only then.
  check('guardrail-read.200.changes-nothing/later', (context) => readTwice(context, laterMs)),
  checkAfterChanges('guardrail-read.200.changes-nothing/settings', [], readTwice),
  check('guardrail-read.404.other-workspace', async ({ world, api, openWorld }) => {
    const other = await openWorld();
    world.assertOwnKey('management');
    const id = { label: "another workspace's guardrail", raw: other.world.guardrailId() };
    await other.api.readGuardrail().expectControl(200);
    await api
      .readGuardrail({ id })
      .expectStatus([403, 404], { because: 'the key selects another workspace' });
    await api.readGuardrail().expectControl(200);
  }),
  check('guardrail-read.404.other-workspace/named', async ({ world, api, openWorld }) => {
    const other = await openWorld();
    world.assertOwnKey('management');
    const id = { label: "another workspace's guardrail", raw: other.world.guardrailId() };
    const raw = `%${id.raw.charCodeAt(0).toString(16)}${id.raw.slice(1)}`;
    const encoded = { label: `${id.label}, percent-encoded`, raw };
    for (const way of [{ id: encoded }, ...nameWorkspace(other.world.workspaceId)])
      await api
        .readGuardrail({ id, ...way })
        .expectStatus([400, 403, 404], { because: 'the key alone selects the workspace' });
  }),
  check('guardrail-read.404.unknown/of-another-kind', async ({ world, api }) => {
    const ids = { 'its workspace': world.workspaceId, 'an intern': world.intern('own') };
    const assertion = { because: 'no guardrail has that id', continueOnFailure: true } as const;
    for (const id of misplaceIds(ids, [world.guardrailId()]))
      await api.readGuardrail({ id }).expectStatus(404, assertion);
    for (const id of otherVersionIds) await api.readGuardrail({ id }).expectStatus([400, 404], assertion);
    await api.readGuardrail().expectControl(200);
  }),
  check('guardrail-read.404.malformed-id/its-name', async ({ api }) => {
    const { name } = readData(await api.readGuardrail().expectControl(200));
    if (typeof name !== 'string' || name === '') throw new NotShown('the guardrail has no name');
    const id = { label: 'the name of the guardrail', raw: encodeURIComponent(name) };
    await api.readGuardrail({ id }).expectStatus([400, 404], { because: 'a name is not a UUID' });
  }),
  check('guardrail-read.500.internal', async ({ world, api }) => {
    // A server may remember the guardrail.
    await api.readGuardrail().expectControl(200);
    await world.setFaults('guardrail_internal_error');
    await api.readGuardrail().expectStatus(500);
    await world.setFaults();
    await api.readGuardrail().expectControl(200);
  }),
  check(
    'guardrail-read.management-key-only/spelled-paths',
    { alsoDecides: ['guardrail-read.401.missing-key'] },
    async ({ world, api }) => {
      const lowerCase = writeSchemeInLowerCase('member', world);
      for (const [requirement, request] of [
        ['guardrail-read.management-key-only', { as: lowerCase }] as const,
        ...pathSpellings.map(
          (spelling) => ['guardrail-read.management-key-only', { as: 'member', spelling }] as const,
        ),
        ['guardrail-read.401.missing-key', { as: 'none', spelling: encodedHyphen }] as const,
      ]) {
        const call = api.readGuardrail(request);
        const exchange = await call.send('any');
        call.expect(exchange, requirement, {
          ok: exchange.answer?.status !== 200 || readData(exchange).id === undefined,
          expected: 'no guardrail, however the path or the scheme is spelled',
          actual: '200 and the guardrail',
          mismatch: { wrong: 'status', due: 'refusal' },
        });
      }
      await api.readGuardrail().expectControl(200);
    },
  ),
];

/** Asserts that a key that is not a management key is refused; with which status is not stated. */
function refuseOrdinaryKey(api: Api, as: Role): Promise<Answered> {
  return api.readGuardrail({ as }).expectStatus([401, 403, 404], { because: 'it is not a management key' });
}

/** Defines a check that asserts something after each change of the guardrail. */
function checkAfterChanges(
  id: CheckId,
  needs: readonly Need[],
  judge: (context: CheckContext) => Promise<void>,
): Check {
  return check(id, { sideEffects: 'settings', needs }, async (context) => {
    const set = (fields: Fields) => context.world.setGuardrail(fields);
    for await (const _row of setEach(guardrailSettings, set)) await judge(context);
  });
}

/** Reads a guardrail, and asserts that it names the workspace of its world. */
async function judgeOwner({ world, api }: CheckContext): Promise<void> {
  const call = api.readGuardrail();
  const exchange = await call.expectControl(200);
  const { workspace_id: owner } = readData(exchange);
  call.expect(exchange, 'guardrail-read.200.same-workspace', {
    ok:
      owner === undefined ||
      world.workspaceId === undefined ||
      asText(owner).toLowerCase() === world.workspaceId.toLowerCase(),
    expected: `data.workspace_id ${world.workspaceId}`,
    actual: asText(owner),
    mismatch: { wrong: 'value', fields: ['workspace_id'] },
  });
}

/** Reads a timestamp as a moment, since its format may change from read to read; returns any other value unchanged. */
function readMoment(name: string, value: unknown): unknown {
  const moment = name.endsWith('_at') && typeof value === 'string' ? parseUtcTimestamp(value) : undefined;
  return moment ?? value;
}

/** Reads a guardrail twice and compares the fields that both responses have, since any field may be absent (§2.1). */
async function readTwice({ api, offers, signal }: CheckContext, pauseMs = 0): Promise<void> {
  const call = api.readGuardrail();
  const before = readData(await call.expectControl(200));
  if (pauseMs > 0) await sleep(pauseMs, undefined, { signal });
  const exchange = await api.readGuardrail().expectControl(200);
  const lasting = ['id', 'workspace_id'];
  const edited = [...Object.keys(guardrailSettings[0] ?? {}), 'updated_at'];
  // During a pause somebody else may edit the guardrail of a deployment.
  const compared = pauseMs > 0 && !offers('worlds') ? ['created_at'] : edited;
  const read = [...compared, ...lasting]
    .filter((name) => name in before)
    .map((name) => [name, before[name]] as const);
  // Reported for the first read, since a confirmation pauses before that one: it may lag behind a change.
  judgeFields(call, exchange, 'guardrail-read.200.changes-nothing', Object.fromEntries(read), {
    isWrong: (name, after) =>
      !(isSameList(name, before[name], after) && isSameList(name, after, before[name])) &&
      !isDeepStrictEqual(readMoment(name, before[name]), readMoment(name, after)),
  });
}
