/** What a command of the pages finds when it is run. */
export type Scene =
  | 'nothing'
  /** Staging behind its control protocol, with the folders and files of earlier runs. */
  | 'staging'
  /** The same with one violation. */
  | 'broken staging'
  /** A deployment without the control protocol, and a profile of it. */
  | 'deployment';

/** How a command of the pages is tried. */
export interface Trial {
  /** What it ends with; 0 where absent. */
  readonly code?: number;
  /** What it is run with beside what the page says, so that it takes no longer than it needs. */
  readonly with?: string;
  readonly leaves?: string;
  readonly prints?: RegExp;
}

const few = '--only key-info.200.* --depth quick --cases 1';
const fewer = '--only key-info.200.read --only key-info.200.data --depth quick';
const control = 'plumbline run --control https://staging.example.com/control --allow-destructive';
const local = 'plumbline run --control http://127.0.0.1:4010/control';
const clean =
  'plumbline clean --from plumbline-report --control https://staging.example.com/control --allow-destructive';
const profiled = 'plumbline run --profile plumbline.yaml';
const direct = 'plumbline run https://staging.example.com/v1 --key member="$STAGING_KEY"';
const doctor = 'plumbline doctor https://staging.example.com/v1 --key member="$STAGING_KEY"';
const compare = 'plumbline compare last-night tonight';
const proposing = { code: 4, leaves: 'policy.yaml' };

/** Every command of the pages that is tried here, by its scene. A command that has no row is one that nobody tries. */
export const trials: Readonly<Record<Scene, Readonly<Record<string, Trial>>>> = {
  nothing: {
    'plumbline run --reference': { with: few, prints: /^conformant/ },
    'plumbline run --reference --only vault-delete.204.takes-effect --seed 7 --path valid-names:0:17': {
      prints: /^conformant: 1 requirement/,
    },
    'plumbline explain vault-delete.404.workspace-secret': { prints: /no fallback to another scope/ },
    'plumbline init': { leaves: 'plumbline.yaml' },
    "plumbline requirements --only 'vault-delete.*'": { prints: /vault-delete\.404\.other-intern/ },
  },
  staging: {
    [local]: { with: few, prints: /^conformant/ },
    [`${local} --history runs.ndjson`]: { with: few, leaves: 'runs.ndjson' },
    [control]: { with: few, leaves: 'plumbline-report/report.html' },
    [`${control} --waivers waivers.yaml`]: { with: few },
    [`${control} --ledger 0.1.0`]: { with: few },
    [`${control} --waivers waivers.yaml --quiet`]: {
      with: few,
      prints: /^conformant \(plumbline-report\/report\.json\)\n$/,
    },
    ...Object.fromEntries(
      [1, 2, 3].map((i) => [
        `${control} --run-id "$BUILD_ID" --shard ${i}/3 --report shard-${i}`,
        { with: few, leaves: `shard-${i}/report.json` },
      ]),
    ),
    'plumbline merge shard-1 shard-2 shard-3': { leaves: 'plumbline-report/report.json' },
    [`${control} --history runs.ndjson`]: { with: few, leaves: 'runs.ndjson' },
    'plumbline trend runs.ndjson': { prints: /^conformant/ },
    'plumbline trend runs.ndjson --last 90 --format html --output trend.html': { leaves: 'trend.html' },
    'plumbline compare last-night plumbline-report': { prints: /nothing changed/ },
    [compare]: { prints: /nothing changed/ },
    [`${compare} --fail-on lost-coverage --fail-on flaky`]: {},
    [`${compare} --format markdown --output comparison.md`]: { leaves: 'comparison.md' },
    [`${compare} --format html --output comparison.html`]: { leaves: 'comparison.html' },
    'plumbline report --from plumbline-report --format html': { leaves: 'plumbline-report/report.html' },
    [clean]: { prints: /^Nothing to remove/ },
    'plumbline observe session.har gateway.ndjson.gz': { code: 4, prints: /^incomplete/ },
    'plumbline observe session.har --canary-file canaries.txt': { code: 4, prints: /^incomplete/ },
  },
  'broken staging': {
    [`${control} --propose-waivers waivers.yaml`]: { with: few, code: 1, leaves: 'waivers.yaml' },
  },
  deployment: {
    [direct]: { with: fewer, prints: /^conformant/ },
    [`${doctor} --header 'X-Gate: open'`]: { prints: /--key member/ },
    [`${direct} --propose-policy policy.yaml`]: { ...proposing, with: '--only guardrail-read.*' },
    [`${profiled} --allow-destructive --propose-waivers waivers.yaml --propose-policy policy.yaml`]: {
      ...{ ...proposing, with: '--only guardrail-read.* --cases 1' },
    },
    'plumbline doctor --profile plumbline.yaml': { prints: /keys\.member/ },
    'plumbline plan --profile plumbline.yaml': { with: few, prints: /would send/ },
    [`${profiled} --allow-destructive`]: { with: fewer, prints: /^conformant/ },
    [`${profiled} --observed session.har`]: { with: fewer, prints: /^conformant[\s\S]*Recorded traffic: / },
  },
};

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
