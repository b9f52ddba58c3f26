import SwaggerParser from '@apidevtools/swagger-parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  type DocumentName,
  listValues,
  type OpenApiDocument,
  readDocument,
} from './fixtures/openapi-document.js';

type Members = Record<string, unknown>;

const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};

describe.each<DocumentName>(['openapi', 'control'])('%s.yaml', (name) => {
  test('the document passes a public validator of OpenAPI', async () => {
    // The validator changes what it is given.
    const own = readDocument(name) as unknown as Parameters<typeof SwaggerParser.validate>[0];
    await expect(SwaggerParser.validate(own)).resolves.toBeDefined();
  });

  test('the document and its schemas and examples pass a public linter of OpenAPI', async () => {
    expect(await lint(readDocument(name))).toEqual([]);
  });

  test('the document closes no object and has an example for every body', () => {
    const document = readDocument(name);
    expect(JSON.stringify(document)).not.toMatch(/"(additional|unevaluated)Properties":false/u);
    const bodies = listValues(document).filter(([path]) => path.endsWith('/application/json'));
    expect(bodies.filter(([, mediaType]) => !('example' in members(mediaType)))).toEqual([]);
  });
});

/** The rules of Redocly that find errors, without those of style. */
const rules = `
  struct no-unresolved-refs no-schema-type-mismatch no-enum-type-mismatch
  no-required-schema-properties-undefined no-invalid-media-type-examples
  no-invalid-parameter-examples no-invalid-schema-examples no-identical-paths no-ambiguous-paths
  path-declaration-must-exist path-not-include-query path-parameters-defined
  operation-operationId-unique security-defined
`;

async function lint(document: object, names = rules): Promise<readonly string[]> {
  const asErrors = names
    .trim()
    .split(/\s+/)
    .map((name) => [name, 'error']);
  const config = await createConfig({ rules: Object.fromEntries(asErrors) });
  const problems = await lintFromString({
    source: stringify(document, { aliasDuplicateObjects: false }),
    config,
  });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

test('the linter finds a missing schema', async () => {
  const document = readDocument('openapi');
  delete document.components.schemas?.Guardrail;
  expect((await lint(document)).join()).toContain('no-unresolved-refs');
});

const vaultPath = '/vault/interns/{internId}/secrets/{name}';
// The statuses of §7.1 and §7.2, copied by hand; and of §7.3 what a read can take on: no model, no provider, and only a
// key has credits.
const ofVault = [204, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504];
const ofGuardrail = [200, 400, 401, 403, 404, 408, 429, 500];
const ofKey = [200, 400, 401, 402, 403, 408, 429, 500];
const operations = [
  { path: vaultPath, method: 'delete', operationId: 'deleteInternSecret', statuses: ofVault },
  { path: '/guardrails/{id}', method: 'get', operationId: 'readGuardrail', statuses: ofGuardrail },
  { path: '/key', method: 'get', operationId: 'readKey', statuses: ofKey },
];

function getOperation(document: OpenApiDocument, path: string, method: string): Members {
  return members(members(document.paths[path])[method]);
}

const document = readDocument('openapi');
const responses = operations.flatMap(({ path, method, operationId }) =>
  Object.entries(members(getOperation(document, path, method).responses)).map(([status, response]) => ({
    name: `${operationId} ${status}`,
    status: Number(status),
    response: resolveReference(document, response),
  })),
);

test('openapi.yaml is OpenAPI 3.1.0, version 1.0.0 (§9), with the three operations of §4 and no others', () => {
  expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.0.0']);
  const methods = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((key) => key !== 'parameters')
      .map((method) => `${method} ${path}`),
  );
  expect(methods.sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort());
});

test.each(operations)('$operationId has the statuses of §7', ({ path, method, operationId, statuses }) => {
  const operation = getOperation(document, path, method);
  expect(operation.operationId).toBe(operationId);
  expect(Object.keys(members(operation.responses)).map(Number)).toEqual(statuses);
});

test.each(responses)('the response $name names a section and has the right body', ({ status, response }) => {
  expect(response.description).toMatch(/§\d/u);
  if (status === 204) expect(response).not.toHaveProperty('content');
  if (status < 400) return;
  const { example, schema } = members(members(response.content)['application/json']);
  expect(members(members(example).error).code).toBe(status);
  const types = ['error', 'metadata', 'error_type'].reduce(
    (schemas, name) => schemas.flatMap((one) => memberSchemas(document, one, name)),
    [schema],
  );
  expect(types).toContainEqual(expect.objectContaining({ type: 'string' }));
});

test('every array has elements, and every object without listed members allows any', () => {
  const schemas = listValues(document.components.schemas).map(([, value]) => members(value));
  const isOf = (type: string) => (schema: Members) => [schema.type].flat().includes(type);
  expect(schemas.filter(isOf('array')).filter((schema) => !('items' in schema))).toEqual([]);
  const objects = schemas.filter(isOf('object')).filter((schema) => !('properties' in schema));
  expect(objects.length).toBeGreaterThan(0);
  expect(objects.filter(({ additionalProperties }) => additionalProperties !== true)).toEqual([]);
});

test('every component is used', async () => {
  expect(await lint(document, 'no-unused-components')).toEqual([]);
});

const limit = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
test.each([
  ['readGuardrail 429', limit],
  ['readKey 429', limit],
  ['deleteInternSecret 429', []],
])('the response %s always has the headers %j (§7.4)', (name, required) => {
  const { headers } = responses.find((one) => one.name === name)?.response ?? {};
  const certain = Object.entries(members(headers)).filter(
    ([, header]) => resolveReference(document, header).required === true,
  );
  expect(certain.map(([header]) => header)).toEqual(required);
});

/** The schemas of a member, in each part of a schema that names it. */
function memberSchemas(document: OpenApiDocument, schema: unknown, name: string): unknown[] {
  const { properties, allOf } = resolveReference(document, schema);
  const parts = Array.isArray(allOf) ? allOf.flatMap((part) => memberSchemas(document, part, name)) : [];
  const own = members(properties)[name];
  return own === undefined ? parts : [own, ...parts];
}

function resolveReference(document: OpenApiDocument, value: unknown): Members {
  const reference = members(value).$ref;
  if (typeof reference !== 'string') return members(value);
  const [, , kind = '', name = ''] = reference.split('/');
  return members(document.components[kind]?.[name]);
}

test.each<[string, number, string[]]>([
  ['FaultName', 20, ['vault_rate_limited', 'mid_stream_error', 'one_provider_limited']],
  ['RoleName', 14, ['member', 'overdrawn', 'expired_session']],
  ['ScopeName', 4, ['workspace', 'own', 'sibling', 'foreign']],
  ['FeatureName', 7, ['secrets', 'inspect', 'key_info', 'guardrail', 'free_usage', 'credit', 'usage']],
])('the schema %s of the control protocol has %i words, each explained', (schema, count, some) => {
  const { schemas = {} } = readDocument('control').components;
  const { enum: listed, description } = schemas[schema] as { enum: string[]; description: string };
  expect(new Set(listed).size).toBe(count);
  expect(listed).toEqual(expect.arrayContaining(some));
  const explained = [...description.matchAll(/^- `(\w+)`: ./gm)].map(([, word]) => word);
  expect(explained).toEqual(listed);
});

// What JavaScript, Python, Java and RE2 read alike: no look-around, no class by name, no escape for a character that
// is not punctuation, at most 1,000 repetitions.
const portable =
  /^(?:\(\?:|[)^$|*+?]|\{\d{1,3}(?:,\d{0,3})?\}|\[\^?(?:(?!&&|--|~~)[^[\]\\]|\\[!-/:-@[-`{-~])+\]|\\[!-/:-@[-`{-~]|[^\\[\](){}^$|*+?.])*$/;

test('the patterns of control.yaml, seven at least, compile in every language', () => {
  const patterns = listValues(readDocument('control')).flatMap(([path, value]) =>
    path.endsWith('/pattern') && typeof value === 'string' ? [value] : [],
  );
  expect(patterns.length).toBeGreaterThanOrEqual(7);
  expect(patterns.filter((pattern) => !portable.test(pattern))).toEqual([]);
  for (const pattern of patterns) expect(() => [new RegExp(pattern), new RegExp(pattern, 'u')]).not.toThrow();
});
