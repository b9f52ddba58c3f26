/** Round moments between 0 and the end of a run, at most eight, in milliseconds. */
export function timeMarks(endMs: number): readonly number[] {
  if (!(endMs > 0)) return [0];
  const magnitude = 10 ** Math.floor(Math.log10(endMs / 8));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((one) => endMs / one <= 8) ?? endMs;
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) => index * step);
}
