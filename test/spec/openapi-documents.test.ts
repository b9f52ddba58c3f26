import SwaggerParser from '@apidevtools/swagger-parser';
import { describe, expect, test } from 'vitest';
import { openapiFaults } from '../../spec/openapi-faults.js';
import { type DocumentName, type OpenApiDocument, readDocument } from './fixtures/openapi-document.js';

type Members = Record<string, unknown>;

const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};

const documents: DocumentName[] = ['openapi', 'control'];

describe.each(documents)('%s.yaml', (name) => {
  test('passes a public validator of OpenAPI documents', async () => {
    // The validator changes what it is given.
    const own = readDocument(name) as unknown as Parameters<typeof SwaggerParser.validate>[0];
    await expect(SwaggerParser.validate(own)).resolves.toBeDefined();
  });

  test('would not pass it without its info', async () => {
    const { info: _, ...rest } = readDocument(name);
    const broken = rest as unknown as Parameters<typeof SwaggerParser.validate>[0];
    await expect(SwaggerParser.validate(broken)).rejects.toThrow();
  });

  test('has none of the faults that such a validator lets pass', () => {
    expect(openapiFaults(readDocument(name))).toEqual([]);
  });

  test('is not changed by the check', () => {
    const document = readDocument(name);
    openapiFaults(document);
    expect(document).toEqual(readDocument(name));
  });

  test('closes no object', () => {
    const text = JSON.stringify(readDocument(name));
    expect(text).not.toMatch(/"(additional|unevaluated)Properties":false/u);
  });

  test('has an example for every body', () => {
    const bare = mediaTypesOf(readDocument(name)).filter(({ mediaType }) => !('example' in mediaType));
    expect(bare.map(({ where }) => where)).toEqual([]);
  });
});

interface PlacedMediaType {
  where: string;
  mediaType: Members;
}

function mediaTypesOf(value: unknown, where = ''): PlacedMediaType[] {
  return Object.entries(members(value)).flatMap(([key, held]) => {
    const here = `${where}/${key}`;
    return key === 'application/json'
      ? [{ where: here, mediaType: members(held) }]
      : mediaTypesOf(held, here);
  });
}

// The tables of the document, copied by hand.
const vaultDelete = [204, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504];
const guardrailRead = [401, 404, 500];
const general = [400, 401, 402, 403, 404, 408, 429, 500, 502, 503];

const operations = [
  {
    path: '/vault/interns/{internId}/secrets/{name}',
    method: 'delete',
    operationId: 'deleteInternSecret',
    statuses: [...vaultDelete, ...general],
  },
  {
    path: '/guardrails/{id}',
    method: 'get',
    operationId: 'readGuardrail',
    statuses: [200, ...guardrailRead, ...general],
  },
  { path: '/key', method: 'get', operationId: 'readKey', statuses: [200, ...general] },
];

function operationOf(document: OpenApiDocument, path: string, method: string): Members {
  return members(members(document.paths[path])[method]);
}

describe('the operations of openapi.yaml', () => {
  const document = readDocument('openapi');

  test('are the three of §4 and no other', () => {
    const methods = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => key !== 'parameters')
        .map((method) => `${method} ${path}`),
    );
    expect(methods.sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('belong to OpenAPI 3.1.0, version 1.0.0 (§9)', () => {
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.0.0']);
  });

  test.each(operations)('$operationId has its id', ({ path, method, operationId }) => {
    expect(operationOf(document, path, method).operationId).toBe(operationId);
  });

  test.each(operations)('$operationId has the statuses of §7', ({ path, method, statuses }) => {
    const documented = Object.keys(members(operationOf(document, path, method).responses));
    expect(documented.map(Number)).toEqual([...new Set(statuses)].sort((a, b) => a - b));
  });

  test.each(operations)('$operationId names in its error examples the status they stand at', (operation) => {
    const { responses } = operationOf(document, operation.path, operation.method);
    const errors = Object.entries(members(responses)).filter(([status]) => Number(status) >= 400);
    const codes = errors.map(([status, response]) => [status, codeOfExample(document, response)]);
    expect(codes).toEqual(errors.map(([status]) => [status, Number(status)]));
  });

  test('has no body on the 204', () => {
    const responses = members(operationOf(document, vaultPath, 'delete').responses);
    expect(members(responses['204'])).not.toHaveProperty('content');
  });

  test.each(operations)('$operationId cites a section with every status', ({ path, method }) => {
    const responses = Object.values(members(operationOf(document, path, method).responses));
    const silent = responses
      .map((response) => described(document, response))
      .filter((text) => !/§\d/u.test(text));
    expect(silent).toEqual([]);
  });
});

const vaultPath = '/vault/interns/{internId}/secrets/{name}';

function dereferenced(document: OpenApiDocument, response: unknown): Members {
  const reference = members(response).$ref;
  if (typeof reference !== 'string') return members(response);
  return members(document.components.responses?.[reference.replace('#/components/responses/', '')]);
}

function described(document: OpenApiDocument, response: unknown): string {
  return String(dereferenced(document, response).description);
}

function codeOfExample(document: OpenApiDocument, response: unknown): unknown {
  const content = members(dereferenced(document, response).content);
  return members(members(members(content['application/json']).example).error).code;
}
