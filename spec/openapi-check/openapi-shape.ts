/** The kinds of object an OpenAPI 3.1 document is made of, as far as the check descends. */
export type NodeKind =
  | 'document'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'requestBody'
  | 'response'
  | 'header'
  | 'mediaType'
  | 'encoding'
  | 'example'
  | 'link'
  | 'callback'
  | 'securityScheme'
  | 'schema';

/** What a member holds: nodes of one kind, either one, a list of them, or a map from names to them. */
export interface MemberShape {
  readonly kind: NodeKind;
  readonly holds: 'one' | 'list' | 'map';
}

const one = (kind: NodeKind): MemberShape => ({ kind, holds: 'one' });
const list = (kind: NodeKind): MemberShape => ({ kind, holds: 'list' });
const map = (kind: NodeKind): MemberShape => ({ kind, holds: 'map' });

/** Stands in a row of the table for every member that the row does not name. */
export const anyMember = '*';

/** Which members of each kind of object hold further objects. Members not named here hold plain data. */
export const openApiShape: Readonly<Record<NodeKind, Readonly<Record<string, MemberShape>>>> = {
  document: { paths: map('pathItem'), webhooks: map('pathItem'), components: one('components') },
  components: {
    schemas: map('schema'),
    responses: map('response'),
    parameters: map('parameter'),
    examples: map('example'),
    requestBodies: map('requestBody'),
    headers: map('header'),
    securitySchemes: map('securityScheme'),
    links: map('link'),
    callbacks: map('callback'),
    pathItems: map('pathItem'),
  },
  pathItem: {
    parameters: list('parameter'),
    get: one('operation'),
    put: one('operation'),
    post: one('operation'),
    delete: one('operation'),
    options: one('operation'),
    head: one('operation'),
    patch: one('operation'),
    trace: one('operation'),
  },
  operation: {
    parameters: list('parameter'),
    requestBody: one('requestBody'),
    responses: map('response'),
    callbacks: map('callback'),
  },
  parameter: { schema: one('schema'), content: map('mediaType'), examples: map('example') },
  requestBody: { content: map('mediaType') },
  response: { headers: map('header'), content: map('mediaType'), links: map('link') },
  header: { schema: one('schema'), content: map('mediaType'), examples: map('example') },
  mediaType: { schema: one('schema'), encoding: map('encoding'), examples: map('example') },
  encoding: { headers: map('header') },
  example: {},
  link: {},
  callback: { [anyMember]: one('pathItem') },
  securityScheme: {},
  schema: {
    $defs: map('schema'),
    properties: map('schema'),
    patternProperties: map('schema'),
    dependentSchemas: map('schema'),
    allOf: list('schema'),
    anyOf: list('schema'),
    oneOf: list('schema'),
    prefixItems: list('schema'),
    additionalProperties: one('schema'),
    unevaluatedProperties: one('schema'),
    unevaluatedItems: one('schema'),
    propertyNames: one('schema'),
    items: one('schema'),
    contains: one('schema'),
    not: one('schema'),
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: one('schema'),
    if: one('schema'),
    else: one('schema'),
    contentSchema: one('schema'),
  },
};
