import type { Check } from '../judge/check.js';
import { stateCheck } from '../judge/state-check.js';

// §1, §4.1 and §7.1: what is stored, after everything that a run asked.

/** The checks of what worlds hold; they follow all others. */
export const worldStateChecks: readonly Check[] = [
  stateCheck({
    title:
      'Whatever is asked, a world holds what was stored in it and was not deleted, in every scope, and nothing else.',
    needs: ['inspect', 'store', 'role:member', 'worlds'],
    control: 'vault-delete',
  }),
];
