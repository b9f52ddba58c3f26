import { expect, test } from 'vitest';
import { isPermittedStatus } from '../../judge/passive-rules.js';
import { isDocumented } from '../../spec/contract.js';

const statuses = Array.from({ length: 500 }, (_, at) => at + 100);
// §7.3 gives them a meaning for the whole service.
const general = [400, 401, 402, 403, 404, 408, 429, 500, 502, 503];

test.each([
  ['vault-delete', [204, ...general, 504], [402]],
  ['guardrail-read', [200, ...general], [402, 502, 503]],
  ['key-info', [200, ...general], [404, 502, 503]],
] as const)('%s may answer %j, and its description lists all but %j', (operation, permitted, tolerated) => {
  expect(statuses.filter((status) => isPermittedStatus(operation, status))).toEqual(permitted);
  expect(permitted.filter((status) => !isDocumented(operation, status))).toEqual(tolerated);
});
