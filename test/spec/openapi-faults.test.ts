import { describe, expect, test } from 'vitest';
import { type OpenApiFaultKind, openapiFaults } from '../../spec/openapi-faults.js';

/** A sound document with one of everything the check looks at. */
function soundDocument() {
  return {
    openapi: '3.1.0',
    info: { title: 'Sound', version: '1' },
    security: [{ token: [] }],
    paths: {
      '/things/{id}': {
        parameters: [{ $ref: '#/components/parameters/Id' }],
        get: {
          operationId: 'readThing',
          security: [{ token: [] }],
          parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', default: 1 }, example: 2 }],
          responses: {
            200: {
              description: 'The thing',
              headers: { 'X-Left': { schema: { type: 'string' }, example: '3' } },
              content: {
                'application/json': {
                  schema: { $ref: '#/components/schemas/Thing' },
                  example: { name: 'lamp' },
                },
              },
            },
          },
        },
      },
      '/things': {
        post: {
          operationId: 'makeThing',
          requestBody: {
            content: {
              'application/json': {
                schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
                examples: {
                  own: { value: { name: 'lamp' } },
                  shared: { $ref: '#/components/examples/Lamp' },
                },
              },
            },
          },
          responses: { 201: { description: 'Made' } },
        },
      },
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      parameters: {
        Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'a1' },
      },
      examples: { Lamp: { value: { name: 'lamp' } } },
      schemas: {
        Thing: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', pattern: '^[a-z]+$', default: 'thing', examples: ['lamp'] },
            parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
          },
          patternProperties: { '^x_[a-z]+$': { type: 'boolean' } },
        },
      },
    } as Record<string, unknown>,
  };
}

const thing = '/components/schemas/Thing';
const read = '/paths/~1things~1{id}/get';
const json = 'application~1json';

interface BrokenDocument {
  fault: string;
  kind: OpenApiFaultKind;
  where: string;
  /** JSON pointer of the member to set, and its new value; undefined takes the member away. */
  set: [pointer: string, value: unknown];
}

const broken: BrokenDocument[] = [
  { fault: 'another version', kind: 'not-a-document', where: '', set: ['/openapi', '3.0.3'] },
  { fault: 'no paths', kind: 'not-a-document', where: '', set: ['/paths', undefined] },

  {
    fault: 'a schema reference to nothing',
    kind: 'unresolved-reference',
    where: `${thing}/properties/parts/items`,
    set: [`${thing}/properties/parts/items/$ref`, '#/components/schemas/Part'],
  },
  {
    fault: 'a parameter reference to nothing',
    kind: 'unresolved-reference',
    where: '/paths/~1things~1{id}/parameters/1',
    set: ['/paths/~1things~1{id}/parameters/1', { $ref: '#/components/parameters/Lang' }],
  },
  {
    fault: 'a reference to another kind of object',
    kind: 'unresolved-reference',
    where: `${read}/responses/200`,
    set: [`${read}/responses/200`, { $ref: '#/components/schemas/Thing' }],
  },
  {
    fault: 'a reference out of the document',
    kind: 'unresolved-reference',
    where: `${thing}/properties/parts/items`,
    set: [`${thing}/properties/parts/items/$ref`, 'https://example.test/schemas.yaml#/Part'],
  },
  {
    fault: 'a reference with a broken percent-encoding',
    kind: 'unresolved-reference',
    where: `${thing}/properties/parts/items`,
    set: [`${thing}/properties/parts/items/$ref`, '#/components/schemas/%ZZ'],
  },
  {
    fault: 'a reference to itself',
    kind: 'unresolved-reference',
    where: '/components/schemas/Loop',
    set: ['/components/schemas/Loop', { $ref: '#/components/schemas/Loop' }],
  },
  {
    fault: 'a shared example that is not there',
    kind: 'unresolved-reference',
    where: `/paths/~1things/post/requestBody/content/${json}/examples/shared`,
    set: ['/components/examples/Lamp', undefined],
  },

  { fault: 'a type that is none', kind: 'bad-schema', where: thing, set: [`${thing}/type`, 'strng'] },
  { fault: 'an unknown keyword', kind: 'bad-schema', where: thing, set: [`${thing}/requird`, ['name']] },
  {
    fault: 'an unknown format',
    kind: 'bad-schema',
    where: thing,
    set: [`${thing}/properties/name/format`, 'nme'],
  },
  {
    fault: 'a required member that is not described',
    kind: 'bad-schema',
    where: thing,
    set: [`${thing}/required`, ['name', 'size']],
  },
  {
    fault: 'a keyword without its type',
    kind: 'bad-schema',
    where: thing,
    set: [`${thing}/type`, undefined],
  },
  {
    fault: 'a schema that is no schema',
    kind: 'bad-schema',
    where: '/components/schemas/Word',
    set: ['/components/schemas/Word', 'string'],
  },
  {
    fault: 'a broken schema of a parameter',
    kind: 'bad-schema',
    where: `${read}/parameters/0/schema`,
    set: [`${read}/parameters/0/schema/type`, 'int'],
  },
  {
    fault: 'a broken schema of a component parameter',
    kind: 'bad-schema',
    where: '/components/parameters/Id/schema',
    set: ['/components/parameters/Id/schema/type', 'text'],
  },
  {
    fault: 'a broken schema of a header',
    kind: 'bad-schema',
    where: `${read}/responses/200/headers/X-Left/schema`,
    set: [`${read}/responses/200/headers/X-Left/schema/type`, 'text'],
  },
  {
    fault: 'a broken schema of a response',
    kind: 'bad-schema',
    where: `${read}/responses/200/content/${json}/schema`,
    set: [`${read}/responses/200/content/${json}/schema`, { type: 'objekt' }],
  },
  {
    fault: 'a broken schema of a request body',
    kind: 'bad-schema',
    where: `/paths/~1things/post/requestBody/content/${json}/schema`,
    set: [`/paths/~1things/post/requestBody/content/${json}/schema/properties/name/minLength`, -1],
  },
  {
    fault: 'schemas that compile alone and not together',
    kind: 'bad-schema',
    where: `${read}/responses/200/content/${json}/schema`,
    set: [`${thing}/$id`, 'https://example.test/thing'],
  },

  {
    fault: 'a pattern that is none',
    kind: 'bad-pattern',
    where: `${thing}/properties/name/pattern`,
    set: [`${thing}/properties/name/pattern`, '^[a-z+$'],
  },
  {
    fault: 'a pattern that is none under the u flag only',
    kind: 'bad-pattern',
    where: `${thing}/properties/name/pattern`,
    set: [`${thing}/properties/name/pattern`, '^[a-z]+\\-?$'],
  },
  {
    fault: 'a key of patternProperties that is no pattern',
    kind: 'bad-pattern',
    where: `${thing}/patternProperties/(`,
    set: [`${thing}/patternProperties/(`, { type: 'boolean' }],
  },

  {
    fault: 'a response example that breaks its schema',
    kind: 'example-refused',
    where: `${read}/responses/200/content/${json}/example`,
    set: [`${read}/responses/200/content/${json}/example`, { name: 7 }],
  },
  {
    fault: 'a named example that breaks its schema',
    kind: 'example-refused',
    where: `/paths/~1things/post/requestBody/content/${json}/examples/own`,
    set: [`/paths/~1things/post/requestBody/content/${json}/examples/own/value`, {}],
  },
  {
    fault: 'a shared example that breaks the schema where it is used',
    kind: 'example-refused',
    where: `/paths/~1things/post/requestBody/content/${json}/examples/shared`,
    set: ['/components/examples/Lamp/value', { name: null }],
  },
  {
    fault: 'a parameter example that breaks its schema',
    kind: 'example-refused',
    where: `${read}/parameters/0/example`,
    set: [`${read}/parameters/0/example`, 'two'],
  },
  {
    fault: 'a header example that breaks its schema',
    kind: 'example-refused',
    where: `${read}/responses/200/headers/X-Left/example`,
    set: [`${read}/responses/200/headers/X-Left/example`, 3],
  },
  {
    fault: 'an example in a schema that breaks it',
    kind: 'example-refused',
    where: `${thing}/properties/name/examples/1`,
    set: [`${thing}/properties/name/examples/1`, 'LAMP'],
  },
  {
    fault: 'an example of a schema that never ends',
    kind: 'example-refused',
    where: '/components/schemas/Endless/examples/0',
    set: [
      '/components/schemas/Endless',
      { allOf: [{ $ref: '#/components/schemas/Endless' }], examples: [1] },
    ],
  },
  {
    fault: 'a default that breaks its schema',
    kind: 'default-refused',
    where: `${thing}/properties/name/default`,
    set: [`${thing}/properties/name/default`, ''],
  },
  {
    fault: 'a default of a parameter that breaks its schema',
    kind: 'default-refused',
    where: `${read}/parameters/0/schema/default`,
    set: [`${read}/parameters/0/schema/default`, null],
  },

  {
    fault: 'a path without its first slash',
    kind: 'malformed-path',
    where: '/paths/others',
    set: ['/paths/others', {}],
  },
  {
    fault: 'a path with half a brace',
    kind: 'malformed-path',
    where: '/paths/~1others~1{id',
    set: ['/paths/~1others~1{id', {}],
  },
  {
    fault: 'a path with a query',
    kind: 'malformed-path',
    where: '/paths/~1others?page=1',
    set: ['/paths/~1others?page=1', {}],
  },
  {
    fault: 'a path parameter without a name',
    kind: 'malformed-path',
    where: '/paths/~1others~1{}',
    set: ['/paths/~1others~1{}', {}],
  },
  {
    fault: 'a path that names a parameter twice',
    kind: 'malformed-path',
    where: '/paths/~1others~1{id}~1{id}',
    set: ['/paths/~1others~1{id}~1{id}', {}],
  },
  {
    fault: 'two paths that differ in the names of their parameters only',
    kind: 'ambiguous-path',
    where: '/paths/~1things~1{thing}',
    set: ['/paths/~1things~1{thing}', {}],
  },

  {
    fault: 'a path parameter that is not declared',
    kind: 'undeclared-path-parameter',
    where: read,
    set: ['/paths/~1things~1{id}/parameters', []],
  },
  {
    fault: 'a query parameter in place of the path parameter',
    kind: 'undeclared-path-parameter',
    where: read,
    set: ['/components/parameters/Id/in', 'query'],
  },
  {
    fault: 'a shared path parameter that the path does not have',
    kind: 'unused-path-parameter',
    where: '/paths/~1things/parameters/0',
    set: ['/paths/~1things/parameters', [{ $ref: '#/components/parameters/Id' }]],
  },
  {
    fault: 'a path parameter of an operation that the path does not have',
    kind: 'unused-path-parameter',
    where: `${read}/parameters/0`,
    set: [`${read}/parameters`, [{ name: 'part', in: 'path', required: true, schema: { type: 'string' } }]],
  },
  {
    fault: 'a path parameter that is not required',
    kind: 'optional-path-parameter',
    where: '/components/parameters/Id',
    set: ['/components/parameters/Id/required', undefined],
  },

  {
    fault: 'an operation id given twice',
    kind: 'repeated-operation-id',
    where: '/paths/~1things/post/operationId',
    set: ['/paths/~1things/post/operationId', 'readThing'],
  },
  {
    fault: 'an unknown security scheme of an operation',
    kind: 'unknown-security-scheme',
    where: `${read}/security/0/oauth`,
    set: [`${read}/security`, [{ oauth: [] }]],
  },
  {
    fault: 'an unknown security scheme of the document',
    kind: 'unknown-security-scheme',
    where: '/security/1/oauth',
    set: ['/security/1', { oauth: [] }],
  },
];

/** Sets or takes away the member a JSON pointer leads to; what leads to it has to be there. */
function change(document: object, pointer: string, value: unknown): void {
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.pop() ?? '';
  const holder = steps.reduce<Record<string, unknown>>(
    (held, step) => held[step] as Record<string, unknown>,
    document as Record<string, unknown>,
  );
  if (value === undefined) delete holder[last];
  else holder[last] = value;
}

describe('openapiFaults', () => {
  test('finds nothing in a sound document', () => {
    expect(openapiFaults(soundDocument())).toEqual([]);
  });

  test.each(broken)('finds $fault', ({ kind, where, set: [pointer, value] }) => {
    const document = soundDocument();
    change(document, pointer, value);
    const faults = openapiFaults(document);
    expect(faults).toContainEqual({ kind, where, message: expect.stringMatching(/./u) });
    // One thing is wrong, so no other kind of fault may be named.
    expect(new Set(faults.map((fault) => fault.kind))).toEqual(new Set([kind]));
  });

  test.each([null, undefined, 'openapi: 3.1.0', 3.1, [], {}])('calls %j no document', (value) => {
    expect(openapiFaults(value).map(({ kind }) => kind)).toEqual(['not-a-document']);
  });

  test('accuses a broken schema once, not every schema that refers to it', () => {
    const document = soundDocument();
    change(document, `${thing}/type`, 'strng');
    expect(openapiFaults(document).map(({ where }) => where)).toEqual([thing]);
  });

  test('looks into callbacks, webhooks and encodings', () => {
    const bad = { type: 'strng' };
    const document = {
      ...soundDocument(),
      webhooks: { changed: { post: { parameters: [{ name: 'a', in: 'query', schema: bad }] } } },
    };
    change(document, `${read}/callbacks`, {
      done: { '{$url}': { post: { requestBody: { content: { 'text/plain': { schema: bad } } } } } },
    });
    change(document, `${read}/responses/200/content/${json}/encoding`, {
      name: { headers: { 'X-Part': { schema: bad } } },
    });
    expect(
      openapiFaults(document)
        .map(({ where }) => where)
        .sort(),
    ).toEqual(
      [
        '/webhooks/changed/post/parameters/0/schema',
        `${read}/callbacks/done/{$url}/post/requestBody/content/text~1plain/schema`,
        `${read}/responses/200/content/${json}/encoding/name/headers/X-Part/schema`,
      ].sort(),
    );
  });

  test('does not take the data of an example for a part of the document', () => {
    const document = soundDocument();
    change(document, `${read}/responses/200/content/${json}/example/more`, {
      $ref: '#/nowhere',
      schema: { type: 'strng', pattern: '(' },
    });
    expect(openapiFaults(document)).toEqual([]);
  });
});
