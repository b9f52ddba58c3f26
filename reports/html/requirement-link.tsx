import { told, toldInLine } from './told.js';

/** A link to the row of a requirement. */
export function RequirementLink({ id }: { readonly id: string }) {
  return (
    <a class="id" href={`#${toldInLine(id)}`}>
      {told(id)}
    </a>
  );
}
