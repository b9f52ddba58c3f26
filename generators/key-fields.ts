import fc from 'fast-check';

// Eighths come back unchanged from every decimal and binary number format.
const amount = fc.nat(800_000).map((eighths) => eighths / 8);

/** Four figures of which the day's is within the week's and the month's, and each within that of all time. */
function usage(name: 'usage' | 'byok_usage'): fc.Arbitrary<Readonly<Record<string, number>>> {
  return fc.tuple(amount, amount, amount, amount).map(([day, week, month, more]) => ({
    [`${name}_daily`]: day,
    [`${name}_weekly`]: day + week,
    [`${name}_monthly`]: day + month,
    [name]: day + week + month + more,
  }));
}

/** Both null, or both numbers with something remaining: a key with nothing left may be refused. */
const limits = fc.oneof(
  fc.constant({ limit: null, limit_remaining: null }),
  fc
    .tuple(amount, amount)
    .map(([spent, left]) => ({ limit: spent + left + 1, limit_remaining: left + 0.125 })),
);

/** Key information that agrees with itself, with values that §2.2 allows. */
export function keyFields(): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const plain = fc.record({
    label: fc.oneof(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), fc.constantFrom('Größe', 'sk-…', '日本語')),
    limit_reset: fc.constantFrom('monthly', null),
    include_byok_in_limit: fc.boolean(),
    is_free_tier: fc.boolean(),
  });
  return fc
    .tuple(plain, limits, usage('usage'), usage('byok_usage'))
    .map(([own, limit, used, byok]) => ({ ...own, ...limit, ...used, ...byok }));
}
