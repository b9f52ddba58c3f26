import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listTimeMarks, placeInRows } from '../../../reports/html/timeline.js';

describe('the rows of the timeline', () => {
  const spans = fc.array(
    fc.record({ started_ms: fc.nat({ max: 500 }), duration_ms: fc.integer({ min: 1, max: 100 }) }),
    { maxLength: 60 },
  );

  it('never overlap, and are as few as checks run at once', () => {
    fc.assert(
      fc.property(spans, (all) => {
        const { placed, rows } = placeInRows(all);
        expect(placed).toHaveLength(all.length);
        const busyAt = (moment: number) =>
          placed.filter(
            ({ span }) => span.started_ms <= moment && moment < span.started_ms + span.duration_ms,
          );
        const busiest = Math.max(0, ...all.map(({ started_ms }) => busyAt(started_ms).length));
        expect(rows).toBe(busiest);
        for (const { started_ms } of all) {
          const busy = busyAt(started_ms).map(({ row }) => row);
          expect(new Set(busy).size).toBe(busy.length);
        }
      }),
    );
  });
});

describe('marks of time', () => {
  it.each([
    [900, [0, 200, 400, 600, 800]],
    [8_600, [0, 2_000, 4_000, 6_000, 8_000]],
    [0, [0]],
  ])('of %i ms', (end, marks) => {
    expect(listTimeMarks(end)).toEqual(marks);
  });

  it('are at most nine, and no later than the end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), (end) => {
        const marks = listTimeMarks(end);
        expect(marks.length).toBeLessThanOrEqual(9);
        expect(marks.length).toBeGreaterThanOrEqual(4);
        expect(Math.max(...marks)).toBeLessThanOrEqual(end);
      }),
    );
  });
});
