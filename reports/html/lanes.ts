/** Something that took time. */
export interface Span {
  /** Milliseconds from the start of the run. */
  readonly started_ms: number;
  readonly duration_ms: number;
}

/** Spans by their start, each with the first lane that is free then; lanes are counted from 0. */
export function inLanes<T extends Span>(
  spans: readonly T[],
): { readonly placed: readonly { readonly span: T; readonly lane: number }[]; readonly lanes: number } {
  const freeFrom: number[] = [];
  const placed = [...spans]
    .sort((one, other) => one.started_ms - other.started_ms)
    .map((span) => {
      const free = freeFrom.findIndex((from) => from <= span.started_ms);
      const lane = free === -1 ? freeFrom.length : free;
      freeFrom[lane] = span.started_ms + span.duration_ms;
      return { span, lane };
    });
  return { placed, lanes: freeFrom.length };
}
