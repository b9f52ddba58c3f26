import { test } from 'vitest';
import { conformance } from '../library/conformance.js';
import type { TargetDescription } from '../library/judged-target.js';
import { referenceServer } from '../reference/reference-server.js';

// The suites as vitest tests, against the server that the environment names, else the embedded one:
//   PLUMBLINE_TARGET, PLUMBLINE_CONTROL, PLUMBLINE_CONTROL_TOKEN, PLUMBLINE_PROFILE, PLUMBLINE_SEED

const environment = (name: 'TARGET' | 'CONTROL' | 'CONTROL_TOKEN' | 'PROFILE' | 'SEED'): string | undefined =>
  process.env[`PLUMBLINE_${name}`] || undefined;

function named(): TargetDescription | undefined {
  const baseUrl = environment('TARGET');
  const url = environment('CONTROL');
  const profile = environment('PROFILE');
  if (baseUrl === undefined && url === undefined && profile === undefined) return undefined;
  const control = url === undefined ? undefined : { url, token: environment('CONTROL_TOKEN') };
  return { baseUrl, control, profile };
}

const seed = environment('SEED');

const given = named();

conformance(test, given ?? referenceServer(), {
  seed: seed === undefined ? undefined : Number(seed),
  // Other tests, and the proof, judge the embedded server at depth standard.
  depth: given === undefined ? 'quick' : undefined,
});
