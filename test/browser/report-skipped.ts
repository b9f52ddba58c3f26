import type { TestProject } from 'vitest/node';
import { skipReason } from './browser.mjs';

/** Lists the tests that were skipped for want of a browser, below all else that `npm test` prints. */
export function setup({ vitest }: TestProject): () => void {
  return () => {
    const skipped = vitest.state
      .getTestModules()
      .flatMap((module) => [...module.children.allTests('skipped')])
      .filter((test) => {
        const result = test.result();
        return result.state === 'skipped' && result.note !== undefined && result.note === skipReason;
      });
    if (skipped.length === 0) return;
    const titles = skipped.map(({ module, fullName }) => `  ${module.relativeModuleId} > ${fullName}`);
    const count = skipped.length === 1 ? '1 test' : `${skipped.length} tests`;
    process.stdout.write(`\nSKIPPED ${count}, ${skipReason}:\n${titles.join('\n')}\n`);
  };
}
