import { afterAll, aroundEach } from 'vitest';
import { endingAfterwards } from './ended-with-test.js';
import { removeFolders } from './folders.js';

// Here, because files share their modules: a hook in a shared one would be the first file's only.
aroundEach(endingAfterwards);
afterAll(removeFolders);
