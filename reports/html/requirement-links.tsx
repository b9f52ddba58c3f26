import { RequirementLink } from './requirement-link.js';

/** Links to several requirements, in a list. */
export function RequirementLinks({ ids }: { readonly ids: readonly string[] }) {
  return (
    <ul class="ids">
      {ids.map((id) => (
        <li key={id}>
          <RequirementLink id={id} />
        </li>
      ))}
    </ul>
  );
}
