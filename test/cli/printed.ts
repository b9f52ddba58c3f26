import { vi } from 'vitest';

/** Calls a part of the command in this process; returns its result with what it printed to either stream. */
export async function withPrinted<Result>(
  call: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly printed: string }> {
  let printed = '';
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    }),
  );
  try {
    const result = await call();
    return { result, printed };
  } finally {
    for (const stream of streams) stream.mockRestore();
  }
}
