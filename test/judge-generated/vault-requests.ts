import type { Behaviour, Call } from '../../reference/behaviour.js';

/** Counts the vault requests into each world of a server, and the worlds that it has open. */
export function countVaultRequests() {
  const perWorld = new Map<string, number>();
  const worlds = { seen: new Set<string>(), most: 0 };
  let unattributed = 0;
  const answer: Behaviour['answer'] = (given, call) => {
    const open = [...call.server.store.worlds()];
    for (const { id } of open) worlds.seen.add(id);
    worlds.most = Math.max(worlds.most, open.length);
    if (!call.path.startsWith('/v1/vault/') && !call.operation.startsWith('vault-')) return given;
    const world = worldOf(call);
    if (world === undefined) unattributed += 1;
    else perWorld.set(world, (perWorld.get(world) ?? 0) + 1);
    return given;
  };
  return { answer, perWorld, worlds, unattributed: () => unattributed };
}

function worldOf({ key, path, server }: Call): string | undefined {
  if (key !== undefined) return key.world.id;
  // It may have been cut short.
  const id = /\/interns\/([0-9a-f-]{35,36})/.exec(path)?.[1] ?? 'none';
  for (const { id: world, interns } of server.store.worlds()) {
    if (Object.values(interns).some((intern) => intern.startsWith(id))) return world;
  }
  return undefined;
}
