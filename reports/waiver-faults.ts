import type { Report } from '../spec/report.js';

const wrongUsage = 2;

/** Why the gate ends with 2 though the run was judged, a line for each reason; none where it ends otherwise. */
export function waiverFaults({ gate }: Report): readonly string[] {
  if (gate.exit_code !== wrongUsage) return [];
  return [
    'The waivers are out of date, so the gate ends with exit code 2 until they are mended.',
    ...gate.notes,
  ];
}
