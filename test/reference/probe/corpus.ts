import { atOnceScripts } from './corpus/at-once.js';
import { credentialScripts } from './corpus/credentials.js';
import { faultScripts } from './corpus/faults.js';
import { limitScripts } from './corpus/limits.js';
import { oddityScripts } from './corpus/oddities.js';
import { firstScripts, roleScripts, tempoScripts } from './corpus/roles.js';
import { usageScripts } from './corpus/usage.js';
import { stalledScripts, wireScripts } from './corpus/wire.js';
import type { Script } from './script.js';

/** Every script, those in which most variants show first. A variant that shows in none needs a script of its own. */
export const corpus: readonly Script[] = [
  ...firstScripts,
  ...tempoScripts,
  ...oddityScripts,
  ...faultScripts,
  ...roleScripts,
  ...wireScripts,
  ...stalledScripts,
  ...atOnceScripts,
  ...limitScripts,
  ...usageScripts,
  ...credentialScripts,
];
