// Renews requirements.md. Needs a build.
import { writeFileSync } from 'node:fs';
import { renderRequirements } from '../dist/cli/explain.js';

writeFileSync(new URL('requirements.md', import.meta.url), renderRequirements());
