import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const programs = fileURLToPath(new URL('programs', import.meta.url));

/** Gives the tests stand-ins for the programs that the machine lacks; at the end lists the tests that it cannot run. */
export function setup({ name, vitest }: TestProject): () => void {
  process.env.PATH += `${delimiter}${programs}`;
  return () => {
    const modules = vitest.state.getTestModules().filter(({ project }) => project.name === name);
    const skipped = modules.flatMap(({ children, relativeModuleId }) =>
      [...children.allTests('skipped')].flatMap((test) => {
        const result = test.result();
        if (result.state !== 'skipped' || result.note === undefined) return [];
        return [{ title: `${relativeModuleId} > ${test.fullName}`, reason: result.note }];
      }),
    );
    for (const reason of new Set(skipped.map((test) => test.reason))) {
      const titles = skipped.filter((test) => test.reason === reason).map(({ title }) => `  ${title}\n`);
      const count = titles.length === 1 ? '1 test' : `${titles.length} tests`;
      process.stdout.write(`\nSKIPPED ${count}, ${reason}:\n${titles.join('')}`);
    }
  };
}
