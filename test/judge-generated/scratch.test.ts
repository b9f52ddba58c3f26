import fc from 'fast-check';
import { it } from 'vitest';
import { guardrailFields } from '../../generators/guardrail-fields.js';
import { keyFields } from '../../generators/key-fields.js';
import { secretName } from '../../generators/secret-name.js';
import { sequence } from '../../generators/sequence.js';
import { situations } from '../../generators/situation.js';
import { blockSeed } from '../../judge/plan.js';
import { kindsOf } from '../../suites/generated/vault.js';
import { offeredWords } from '../../suites/generated/words.js';

it('classes', () => {
  const w = offeredWords(() => true);
  const s = situations(w);
  const kr = (x: any, good: string) =>
    x.fault
      ? 'fault'
      : 'id' in x && x.id !== 'own'
        ? 'id'
        : x.as !== good
          ? 'credential'
          : x.host === 'global'
            ? 'plain'
            : 'host';
  const list: [string, fc.Arbitrary<any>, number, (x: any) => string, string[]][] = [
    [
      'sequences',
      sequence(w),
      40,
      (st) => (new Set(st.map((x: any) => x.world)).size > 1 ? 'two' : 'one'),
      ['one', 'two'],
    ],
    ['guardrail-situations', s.guardrail(), 120, (x) => kr(x, 'management'), ['plain', 'id', 'credential']],
    ['key-situations', s.key(), 80, (x) => kr(x, 'member'), ['plain', 'host', 'credential']],
    ['key-values', keyFields(), 40, (x) => (x.limit === null ? 'u' : 'l'), ['u', 'l']],
    ['guardrail-values', guardrailFields(), 40, (x) => (Object.keys(x).length ? 's' : 'n'), ['s']],
    [
      'vault-one-wrong',
      s.vaultOneWrong(),
      420,
      (x) => kindsOf(x).join('+'),
      ['credential', 'host', 'intern', 'name', 'stored', 'extras', 'fault'],
    ],
    ['vault-many-wrong', s.vaultManyWrong(), 220, (x) => String(kindsOf(x).length), ['2', '3', '4']],
    [
      'valid-names',
      secretName.valid(),
      150,
      (x) => x.class,
      ['shortest', 'longest', 'letters', 'digits', 'underscores'],
    ],
    ['invalid-names', secretName.invalid(), 260, (x) => x.class, ['too-long', 'look-alike', 'not-utf-8']],
  ];
  for (const [name, arb, n, cls, want] of list) {
    let missed = 0;
    const N = name === 'sequences' ? 2000 : 200;
    const tot: Record<string, number> = {};
    for (let seed = 0; seed < N; seed++) {
      const got = new Set(
        fc.sample(arb, { seed: blockSeed(seed, name, 0), numRuns: n }).map((x) => {
          const c = cls(x);
          tot[c] = (tot[c] ?? 0) + 1;
          return c;
        }),
      );
      if (want.some((x) => !got.has(x))) missed++;
    }
    console.log(name, 'missed', missed, '/', N, tot);
  }
}, 120000);
