import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Most tests judge servers, and keep a core busy each.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/conformance.test.ts'],
          testTimeout: 30_000,
        },
      },
      { test: { name: 'conformance', include: ['test/conformance.test.ts'], testTimeout: 240_000 } },
    ],
  },
});
