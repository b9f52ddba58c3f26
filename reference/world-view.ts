import type { Intern, Role } from './vocabulary.js';
import type { World } from './world.js';

/** A world as the control protocol answers it. */
export interface WorldView {
  readonly id: string;
  readonly workspace_id: string;
  readonly keys: Readonly<Partial<Record<Role, string>>>;
  readonly interns: Readonly<Record<Intern, string>>;
  readonly guardrail_id: string;
}

/** What the control protocol tells of a world: no label, no secrets. */
export function worldView(world: World): WorldView {
  const keys: Partial<Record<Role, string>> = {};
  for (const [role, key] of world.keys) keys[role] = key.text;
  return {
    id: world.id,
    workspace_id: world.workspaceId,
    keys,
    interns: world.interns,
    guardrail_id: world.guardrailId,
  };
}
