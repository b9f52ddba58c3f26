import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Tests that judge many servers, as the proof does, or one for long. In one project with the others they share its processes.
const isThorough = process.env.PLUMBLINE_THOROUGH !== undefined;
const ofManyServers = [
  'test/hostile/hostile.test.ts',
  'test/judge-generated/{noise-and-bounds,replay}.test.ts',
  'test/judge/nginx.test.ts',
  'test/cli/profile-noise.test.ts',
  'test/cli/random-stops.test.ts',
  'test/cli/replay-mutants.test.ts',
  'test/cli/time-limits.test.ts',
  'test/cli/version-0-1.test.ts',
  'test/judge/every-world-check.test.ts',
  'test/reference/variants-differ.test.ts',
  'test/reports/cause-mutants.test.ts',
];

// What judges many servers takes its time on a slow machine, to begin with too.
const patient = { testTimeout: 240_000, hookTimeout: 240_000 };

const inOneProcess = {
  setupFiles: ['test/around-each.ts'],
  globalSetup: ['test/global-setup.ts'],
  // A container may have set it for production.
  env: { NODE_ENV: 'test' },
  // Loading the suite anew for each of its files would cost more than many of them do.
  isolate: false,
  hookTimeout: 60_000,
  // Of the tests that wait beside one another in a file; each may have a process of its own.
  maxConcurrency: 6,
};

// Where these begin last, the other workers wait for them: of a first run vitest knows the sizes of the files alone.
// Those that wait stand between those that keep a core busy; another project in the middle would cost a worker more.
const longest = [
  'test/conformance.test.ts',
  'test/package/package.test.ts',
  'test/package/docker.test.ts',
  'test/cli/proxy.test.ts',
  'test/hostile/hostile.test.ts',
  'test/judge/nginx.test.ts',
  'test/cli/version-0-1.test.ts',
  'test/judge/every-world-check.test.ts',
  'test/reference/variants-differ.test.ts',
  'test/reports/cause-mutants.test.ts',
  'test/cli/report-folder.test.ts',
  'test/cli/replay-mutants.test.ts',
  'test/cli/random-stops.test.ts',
  'test/cli/known-secrets.test.ts',
  'test/cli/time-limits.test.ts',
  'test/cli/profile-noise.test.ts',
  'test/judge-generated/noise-and-bounds.test.ts',
  'test/judge/situations.test.ts',
  'test/cli/limited-control.test.ts',
  'test/judge/foreign-pages.test.ts',
  'test/cli/wrong-profile.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((part) => moduleId.endsWith(part));
      return place < 0 ? longest.length : place;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

// As tsc compiles the pages: without where in the sources each element stands.
const oxc = { jsx: { development: false } };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Most tests judge servers and keep a core busy each; many wait, so two more have room beside them.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        oxc,
        test: {
          ...inOneProcess,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/conformance.test.ts', 'test/package/**', ...(isThorough ? [] : ofManyServers)],
          testTimeout: 120_000,
          ...(isThorough ? patient : {}),
        },
      },
      { oxc, test: { name: 'conformance', include: ['test/conformance.test.ts'], ...patient } },
      // It installs the package from the registry, so it is asked for by name.
      {
        test: {
          name: 'package',
          include: ['test/package/*.test.ts'],
          setupFiles: ['test/around-each.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxConcurrency: 2,
        },
      },
    ],
  },
});
