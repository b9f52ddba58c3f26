/** How a requirement differs between two reports, exactly one for each; the most important first. */
export const changes = [
  'newly-violated',
  'further-violation',
  'still-violated',
  'newly-held',
  'lost-coverage',
  'undecided',
  'gained-coverage',
  'still-unproven',
  'not-comparable',
  'only-in-old',
  'only-in-new',
  'unchanged',
] as const;
export type Change = (typeof changes)[number];

/** What makes `compare` end with 1. */
export const stoppers = ['new-violation', 'lost-coverage', 'flaky'] as const;
export type Stopper = (typeof stoppers)[number];
