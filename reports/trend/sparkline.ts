const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Values as one line of blocks, the lowest value the lowest block; values that are all the same are a low line. */
export function sparkline(values: readonly number[]): string {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const spread = highest - lowest;
  return values
    .map(
      (value) =>
        blocks[spread === 0 ? 0 : Math.round(((value - lowest) / spread) * (blocks.length - 1))] ?? '',
    )
    .join('');
}
