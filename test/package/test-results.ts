export type Outcome = 'passed' | 'failed' | 'skipped';

/** The results of `node --test --test-reporter=tap`, by the names of the tests. */
export function readTapResults(tap: string): ReadonlyMap<string, Outcome> {
  const lines = tap.matchAll(/^\s*(not )?ok \d+ - (\S.*?)( # SKIP.*)?$/gm);
  return new Map(
    [...lines].map(([, not, name = '', skipped]) => {
      if (not !== undefined) return [name, 'failed'];
      return [name, skipped === undefined ? 'passed' : 'skipped'];
    }),
  );
}

interface VitestResults {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/** The results of `vitest --reporter=json`, by the names of the tests. */
export function readVitestResults(json: string): ReadonlyMap<string, Outcome> {
  const { testResults } = JSON.parse(json) as VitestResults;
  return new Map(
    testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .map(({ title, status }) => [title, status === 'passed' || status === 'failed' ? status : 'skipped']),
  );
}

export function countResults(results: ReadonlyMap<string, Outcome>, how: Outcome): number {
  return [...results.values()].filter((result) => result === how).length;
}
