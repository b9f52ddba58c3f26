import { expect, it } from 'vitest';
import { isAsSet } from '../../suites/field-values.js';

it.each<readonly [string, unknown, unknown]>([
  ['limit', null, null],
  ['limit_usd', 0.1 + 0.2, 0.3],
  ['usage', 1e12, 1e12 + 100],
  ['usage', 0, 0],
  ['content_filter_builtins', [{ slug: 'a', label: 'b' }], [{ label: 'b', slug: 'a' }]],
  ['content_filter_builtins', [{ slug: 'a' }], [{ slug: 'a', id: 1 }]],
  ['allowed_models', ['a', 'b', 'a'], ['a', 'a', 'b']],
  ['created_at', '2025-03-01T10:00:00.123456Z', '2025-03-01T10:00:00Z'],
  ['created_at', '2025-03-01T10:00:00.789Z', '2025-03-01T10:00:01Z'],
  ['created_at', '2025-03-01T10:00:00Z', '2025-03-01T10:00:00+00:00'],
  ['updated_at', '2025-03-01T10:00:00.900Z', '2025-03-01T10:00:00.9Z'],
  ['updated_at', '2025-03-01T12:00:00+02:00', '2025-03-01T10:00:00Z'],
  ['created_at', '2025-03-01T10:00:00Z', '2025-03-01T10:00Z'],
  ['created_at', '2025-03-01T10:00:00.789Z', '20250301T100000,789+00'],
  ['created_at', '2025-03-01T10:30:00Z', '2025-060T10.5Z'],
  ['updated_at', '2025-03-01T10:00:00Z', '2025-W09-6T10:00:00+0000'],
])('the field %s set to %j may be read as %j', (name, set, read) => {
  expect(isAsSet(name, set, read)).toBe(true);
});

it.each<readonly [string, unknown, unknown]>([
  ['name', 'a', undefined],
  ['limit', null, 0],
  ['limit', 5, '5'],
  ['limit_usd', 10, 10.01],
  ['usage', 1e-6, 2e-6],
  ['include_byok_in_limit', true, 1],
  ['allowed_models', ['a', 'b'], ['b', 'b']],
  ['allowed_models', ['a'], ['a', 'b']],
  ['allowed_models', [], null],
  ['content_filter_builtins', [{ slug: 'a', label: 'b' }], [{ slug: 'a' }]],
  ['content_filter_builtins', [{ slug: 'a' }], [{ slug: 'a' }, { slug: 'b' }]],
  ['created_at', '2025-03-01T10:00:00Z', '2025-03-01T10:00:01Z'],
  ['created_at', '2025-03-01T10:00:00Z', '2025-03-01T10:00:00+01:00'],
  ['updated_at', '2025-03-01T10:00:00Z', null],
  ['updated_at', '2025-03-01T10:00:00Z', 'yesterday'],
  ['created_at', '2025-03-01T10:00:00Z', '2025-061T10:00:00Z'],
])('the field %s set to %j must not be read as %j', (name, set, read) => {
  expect(isAsSet(name, set, read)).toBe(false);
});
