/** What a command of the pages finds when it is run. */
export type Scene =
  /** An empty folder. */
  | 'nothing'
  /** Staging behind its control protocol, with the folders and files of earlier runs. */
  | 'staging'
  /** The same with one violation. */
  | 'broken staging'
  /** A deployment without the control protocol, and a profile of it. */
  | 'deployment';

/** How a command of the pages is tried. */
export interface Trial {
  readonly scene: Scene;
  /** What it ends with; 0 where absent. */
  readonly code?: number;
  /** What it is run with beside what the page says, so that it takes no longer than it needs. */
  readonly with?: string;
  /** A file or a folder that it leaves. */
  readonly leaves?: string;
  /** What it prints. */
  readonly prints?: RegExp;
}

const few = '--only key-info.200.* --cases 1';
const fewer = '--only key-info.200.read --only key-info.200.data';
const control = 'plumbline run --control https://staging.example.com/control --allow-destructive';
const shard = (i: number): readonly [string, Trial] => [
  `${control} --run-id "$BUILD_ID" --shard ${i}/3 --report shard-${i}`,
  { scene: 'staging', with: few, leaves: `shard-${i}/report.json` },
];

/** Every command of the pages that is tried here. A command that has no row is one that nobody tries. */
export const trials: Readonly<Record<string, Trial>> = Object.fromEntries([
  [
    'plumbline run --control http://127.0.0.1:4010/control',
    { scene: 'staging', with: few, prints: /^conformant/ },
  ],
  [control, { scene: 'staging', with: few, leaves: 'plumbline-report/report.html' }],
  [
    'plumbline run https://staging.example.com/v1 --key member="$STAGING_KEY"',
    { scene: 'deployment', with: fewer, prints: /^conformant/ },
  ],
  [
    `plumbline doctor https://staging.example.com/v1 --key member="$STAGING_KEY" --header 'X-Gate: open'`,
    { scene: 'deployment', prints: /--key member/ },
  ],
  [
    'plumbline run https://staging.example.com/v1 --key member="$STAGING_KEY" --propose-policy policy.yaml',
    { scene: 'deployment', with: '--only guardrail-read.*', code: 4, leaves: 'policy.yaml' },
  ],
  ['plumbline run --reference', { scene: 'nothing', with: few, prints: /^conformant/ }],
  [
    'plumbline explain vault-delete.404.workspace-secret',
    { scene: 'nothing', prints: /no fallback to another scope/ },
  ],
  [
    'plumbline run --profile plumbline.yaml --allow-destructive --propose-waivers waivers.yaml --propose-policy policy.yaml',
    { scene: 'deployment', with: '--only guardrail-read.* --cases 1', code: 4, leaves: 'policy.yaml' },
  ],
  ['plumbline init', { scene: 'nothing', leaves: 'plumbline.yaml' }],
  ['plumbline doctor --profile plumbline.yaml', { scene: 'deployment', prints: /keys\.member/ }],
  ['plumbline plan --profile plumbline.yaml', { scene: 'deployment', with: few, prints: /would send/ }],
  [
    'plumbline run --profile plumbline.yaml --allow-destructive',
    { scene: 'deployment', with: fewer, prints: /^conformant/ },
  ],
  [
    'plumbline run --reference --only vault-delete.204.takes-effect --seed 7 --path valid-names:0:17',
    { scene: 'nothing', prints: /^conformant: 1 requirement/ },
  ],
  [
    `${control} --propose-waivers waivers.yaml`,
    { scene: 'broken staging', with: few, code: 1, leaves: 'waivers.yaml' },
  ],
  [`${control} --waivers waivers.yaml`, { scene: 'staging', with: few }],
  [`${control} --ledger 0.1.0`, { scene: 'staging', with: few }],
  [
    `${control} --waivers waivers.yaml --quiet`,
    { scene: 'staging', with: few, prints: /^conformant \(plumbline-report\/report\.json\)\n$/ },
  ],
  shard(1),
  shard(2),
  shard(3),
  ['plumbline merge shard-1 shard-2 shard-3', { scene: 'staging', leaves: 'plumbline-report/report.json' }],
  [`${control} --history runs.ndjson`, { scene: 'staging', with: few, leaves: 'runs.ndjson' }],
  [
    'plumbline run --control http://127.0.0.1:4010/control --history runs.ndjson',
    { scene: 'staging', with: few, leaves: 'runs.ndjson' },
  ],
  ['plumbline trend runs.ndjson', { scene: 'staging', prints: /^conformant/ }],
  [
    'plumbline trend runs.ndjson --last 90 --format html --output trend.html',
    { scene: 'staging', leaves: 'trend.html' },
  ],
  ['plumbline compare last-night plumbline-report', { scene: 'staging', prints: /nothing changed/ }],
  ['plumbline compare last-night tonight', { scene: 'staging', prints: /nothing changed/ }],
  ['plumbline compare last-night tonight --fail-on lost-coverage --fail-on flaky', { scene: 'staging' }],
  [
    'plumbline compare last-night tonight --format markdown --output comparison.md',
    { scene: 'staging', leaves: 'comparison.md' },
  ],
  [
    'plumbline compare last-night tonight --format html --output comparison.html',
    { scene: 'staging', leaves: 'comparison.html' },
  ],
  [
    'plumbline report --from plumbline-report --format html',
    { scene: 'staging', leaves: 'plumbline-report/report.html' },
  ],
  [
    'plumbline clean --from plumbline-report --control https://staging.example.com/control --allow-destructive',
    { scene: 'staging', prints: /^Nothing to remove/ },
  ],
  [
    "plumbline requirements --only 'vault-delete.*'",
    { scene: 'nothing', prints: /vault-delete\.404\.other-intern/ },
  ],
  ['plumbline observe session.har gateway.ndjson.gz', { scene: 'staging', code: 4, prints: /^incomplete/ }],
  [
    'plumbline observe session.har --canary-file canaries.txt',
    { scene: 'staging', code: 4, prints: /^incomplete/ },
  ],
  [
    'plumbline run --profile plumbline.yaml --observed session.har',
    { scene: 'deployment', with: fewer, prints: /^conformant[\s\S]*Recorded traffic: / },
  ],
]);

/** Commands that other tests run, or `.ci/run`: they need a cluster, the registry, a finding, or do not end by themselves. */
export const triedElsewhere: readonly string[] = [
  'plumbline proxy --target https://staging.example.com/v1 --listen 8080 --inference-path /chat/completions',
  'npm install --global plumbline-conformance',
  'plumbline replay plumbline-report 1',
  'plumbline replay plumbline-report 2 --keep',
  'npm ci && npm start',
  'npm ci && npm test',
  'sed "s/RUN-ID/$CI_PIPELINE_ID/" indexed-job.yaml | kubectl apply -f -',
  'sh wait-for-job.sh "plumbline-merge-$CI_PIPELINE_ID"',
  'plumbline serve --port 4010',
];
