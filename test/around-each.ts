import { aroundEach } from 'vitest';
import { endingAfterwards } from './ended-with-test.js';

// Here, because files share their modules: a hook in a shared one would be the first file's only.
aroundEach(endingAfterwards);
