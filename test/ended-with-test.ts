import { AsyncLocalStorage } from 'node:async_hooks';

type End = () => Promise<void>;

const ends = new AsyncLocalStorage<End[]>();

/** Has something ended after the test that is under way, also where others run beside it. */
export function endWithTest(end: End): void {
  const ofTest = ends.getStore();
  if (ofTest === undefined) throw new Error('No test is under way with which this could end.');
  ofTest.push(end);
}

export async function endingAfterwards(test: () => Promise<void>): Promise<void> {
  const ofTest: End[] = [];
  try {
    await ends.run(ofTest, test);
  } finally {
    await Promise.all(ofTest.map((end) => end()));
  }
}
