import fc from 'fast-check';

// Eighths come back unchanged from every decimal and binary number format.
const amount = fc.nat(8_000_000).map((eighths) => eighths / 8);
const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const text = fc.oneof(
  word,
  fc.constantFrom('', 'Größe', 'Two words', 'a "quoted" <b>', '日本語', 'x'.repeat(200)),
);
const list = fc.option(fc.array(word, { maxLength: 4 }), { nil: null });

/** Some fields of a guardrail with values that §2.1 allows: `{ limit_usd: 12.5, enforce_zdr: null }`. */
export function guardrailFields(): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fc.record(
    {
      name: text.filter((name) => name !== ''),
      description: text,
      allowed_models: list,
      allowed_providers: list,
      ignored_models: list,
      ignored_providers: list,
      limit_usd: amount,
      reset_interval: fc.constant('monthly'),
      include_byok_in_budgets: fc.boolean(),
      enforce_zdr: fc.option(fc.boolean(), { nil: null }),
      enforce_zdr_other: fc.boolean(),
      enable_free_model_publication: fc.boolean(),
      enable_free_model_training: fc.boolean(),
      enable_paid_model_training: fc.boolean(),
      content_filter_builtins: fc.array(
        fc.record({ slug: word, label: text, action: fc.constant('redact') }),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  );
}
