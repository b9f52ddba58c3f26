import type { Report } from '../../spec/report.js';

/** Why two reports may differ though the server did not change: what was judged, how, and how far the runs came. */
export function runDifferences(before: Report, after: Report): readonly string[] {
  if (before.run.id === after.run.id) return ['Both reports are of one and the same run.'];
  return [
    ...orderWarnings(before, after),
    ...(['old', 'new'] as const).flatMap((which) => endWarnings(which === 'old' ? before : after, which)),
    ...facts.flatMap(({ what, of, so }) => {
      const [old, now] = [of(before), of(after)];
      return old === now ? [] : [`The ${what}: ${old} before, ${now} now${so === '' ? '' : `; ${so}`}.`];
    }),
  ];
}

interface Fact {
  readonly what: string;
  readonly of: (report: Report) => string;
  /** What follows from a difference. */
  readonly so: string;
}

const facts: readonly Fact[] = [
  {
    what: 'targets differ',
    of: ({ target }) => target.base_url ?? 'unknown',
    so: 'they may be different servers',
  },
  {
    what: 'means differ',
    of: ({ target }) => (target.control ? 'a control protocol' : 'no control protocol'),
    so: 'what can be exercised depends on it',
  },
  {
    what: 'seeds differ',
    of: ({ run }) => String(run.seed),
    so: 'other generated cases were sent',
  },
  { what: 'depths differ', of: ({ run }) => run.depth, so: 'more is sent at a greater depth' },
  { what: 'selections differ', of: ({ run }) => selectionText(run.selection), so: '' },
  { what: 'shards differ', of: ({ run }) => run.shard, so: 'each shard judges other requirements' },
  {
    what: 'versions of the suite differ',
    of: ({ tool }) => tool.version,
    so: 'it may have other requirements and stricter checks',
  },
  {
    what: 'interface descriptions differ',
    of: ({ document }) => document.openapi_sha256.slice(0, 12),
    so: '',
  },
];

function selectionText({ only, skip }: Report['run']['selection']): string {
  const flags = [...only.map((glob) => `--only ${glob}`), ...skip.map((glob) => `--skip ${glob}`)];
  return flags.length === 0 ? 'everything' : flags.sort().join(' ');
}

function orderWarnings(before: Report, after: Report): readonly string[] {
  const isSwapped = Date.parse(after.run.started_at) < Date.parse(before.run.started_at);
  return isSwapped
    ? ['The new run started before the old one; the reports may have been given the wrong way round.']
    : [];
}

const suiteFailed = 5;

function endWarnings({ run, gate, verdict }: Report, which: string): readonly string[] {
  if (gate.exit_code === suiteFailed)
    return [`The suite itself failed in the ${which} run; do not rely on it.`];
  if (verdict === 'unjudged')
    return [`The ${which} run judged nothing: ${run.notes[0] ?? 'nothing was proven'}.`];
  return run.complete ? [] : [`The ${which} run did not reach its end.`];
}
