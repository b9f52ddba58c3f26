/** What can be wrong with an OpenAPI document, as far as the stricter check looks. */
export type OpenApiFaultKind =
  | 'not-a-document'
  | 'unresolved-reference'
  | 'bad-schema'
  | 'bad-pattern'
  | 'example-refused'
  | 'default-refused'
  | 'malformed-path'
  | 'ambiguous-path'
  | 'undeclared-path-parameter'
  | 'unused-path-parameter'
  | 'optional-path-parameter'
  | 'repeated-operation-id'
  | 'unknown-security-scheme';

/** One fault of an OpenAPI document; `where` is a JSON pointer into it, empty for the whole. */
export interface OpenApiFault {
  readonly where: string;
  readonly kind: OpenApiFaultKind;
  readonly message: string;
}
