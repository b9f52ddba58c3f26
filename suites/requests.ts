import { type DerivedId, deriveId, resolveIntern } from '../generators/ids.js';
import { addRunPrefix, labelName } from '../generators/secret-name.js';
import { mayBeRoutedElsewhere, type Situation, type VaultSituation } from '../generators/situation.js';
import type { Api, CheckContext, Credential, DeleteRequest, RawPart, RequestOptions } from '../judge/api.js';
import type { Assertion, Call } from '../judge/call.js';
import { type Fault, isUuid, type Role } from '../spec/vocabulary.js';
import type { Answered } from '../targets/exchange.js';
import type { World } from '../targets/world.js';

// From the words of a situation to the request that is sent.

/** Where a request goes. */
export type Destination = Pick<CheckContext, 'world' | 'api'>;

/** Makes the request of a situation. */
export function makeCall(
  situation: Situation,
  { api, world }: Destination,
  parts: { readonly id?: DerivedId | undefined; readonly name?: DeleteRequest['name'] } = {},
): Call {
  const { as, host: at, query, body, bodyType = 'application/json', headers, connection } = situation;
  const options: RequestOptions = {
    ...{ as, at },
    reaches: mayBeRoutedElsewhere(situation) ? 'perhaps' : undefined,
    method: 'method' in situation ? situation.method : undefined,
    ...{ query, headers, connection },
    ...(body === undefined ? {} : { body: { text: body, type: bodyType } }),
  };
  switch (situation.operation) {
    case 'vault-delete': {
      const named = resolveIntern(situation.intern) ?? 'own';
      const id = parts.id ?? deriveId(situation.intern, 'intern', situation);
      const intern = id === undefined ? named : { label: id.label, raw: id.of(world.intern(named)) };
      return api.deleteSecret({ ...options, intern, name: parts.name ?? makePathName(situation, world) });
    }
    case 'guardrail-read': {
      const id = parts.id ?? deriveId(situation.id, 'guardrail', situation);
      return api.readGuardrail(id === undefined ? options : { ...options, id });
    }
    case 'key-info':
      return api.readKey(options);
    case 'inference':
      return api.infer({ ...options, model: situation.model, stream: situation.stream });
  }
}

/** Makes the name of a situation as it is sent in the path. */
export function makePathName({ name }: VaultSituation, { prefix }: World): RawPart {
  return { label: labelName(name), raw: addRunPrefix(prefix, name.raw) };
}

/** Makes path parts from the UUIDs of other things, given by what they name, except those that would be right. */
export function misplaceIds(
  ids: Readonly<Record<string, string | undefined>>,
  due: readonly string[],
): readonly RawPart[] {
  const isDue = (id: string) => due.some((one) => one.toLowerCase() === id.toLowerCase());
  return Object.entries(ids).flatMap(([what, raw = '']) =>
    isUuid(raw) && !isDue(raw) ? [{ label: `the id of ${what}`, raw }] : [],
  );
}

/** Asserts that a secret that was deleted stays so (§4.1). */
export function expectGone(
  api: Api,
  secret: DeleteRequest,
  assertion: Pick<Assertion, 'because' | 'continueOnFailure'> = {},
): Promise<Answered> {
  const usual = { requirement: 'vault-delete.204.takes-effect', because: 'it was deleted before' } as const;
  return api.deleteSecret(secret).expectStatus(404, { ...usual, ...assertion });
}

/** Makes the header of a role's key with the scheme in lower case, which a server may take for no key. */
export function writeSchemeInLowerCase(role: Role, world: World): Credential {
  return { label: `bearer and the key of ${role}`, header: `bearer ${world.key(role)}`, role };
}

/** Milliseconds to wait for effects in the background, no longer than the rest of a standard run takes. */
export const laterMs = 2_200;

/** Runs something during each of some faults that the target offers. */
export async function runDuringFaults(
  { world, offers }: CheckContext,
  faults: readonly Fault[],
  run: (fault: Fault) => Promise<unknown>,
): Promise<void> {
  const offered = faults.filter((fault) => offers(`fault:${fault}`));
  for (const fault of offered) {
    await world.setFaults(fault);
    await run(fault);
  }
  if (offered.length > 0) await world.setFaults();
}

/** Ways to name a workspace beside the path; the API key alone selects it (§1). */
export function nameWorkspace(id: string | undefined): readonly RequestOptions[] {
  if (id === undefined) return [];
  return [
    { query: `?${new URLSearchParams({ workspace_id: id, workspaceId: id, workspace: id })}` },
    { headers: { 'X-Workspace-Id': id, 'X-Workspace': id, 'X-Tenant-Id': id } },
  ];
}
