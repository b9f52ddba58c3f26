// Loaded before the command: says in a file what the process took, its memory in bytes and its time in milliseconds.
import { writeFileSync } from 'node:fs';

const file = process.env.PLUMBLINE_TEST_COST;
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const cost = { bytes: maxRSS * 1_024, cpuMs: (userCPUTime + systemCPUTime) / 1_000 };
  if (file !== undefined) writeFileSync(file, JSON.stringify(cost));
});
