// Runs after the compiler: counts the mutants that violate each requirement, for folders that must not import this one.
import { writeFileSync } from 'node:fs';
import { mutants } from '../dist/reference/mutants.js';

const counts = {};
for (const id of mutants.flatMap(({ violates }) => violates)) counts[id] = (counts[id] ?? 0) + 1;
writeFileSync(new URL('../dist/spec/mutant-counts.json', import.meta.url), JSON.stringify(counts));
