import { expect, it } from 'vitest';
import { renderRequirements } from '../../cli/explain.js';
import { readPage } from './pages.js';

it('the page of requirements is what "npm run requirements" writes', () => {
  expect(readPage('docs/requirements.md') === renderRequirements(), 'run "npm run requirements"').toBe(true);
});
