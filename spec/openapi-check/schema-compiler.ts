import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isTimestamp, timestampFormat } from '../contract.js';
import { fragmentOf } from './json-pointer.js';
import type { JsonRecord } from './json-record.js';

// Keywords OpenAPI 3.1 adds to JSON Schema; they assert nothing.
const openApiKeywords = ['discriminator', 'example', 'externalDocs', 'xml'];

/** Ajv for JSON Schema 2020-12 in its strict mode, with formats and the words of OpenAPI. */
export function strictAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, logger: false });
  formats.default(ajv);
  ajv.addFormat(timestampFormat, isTimestamp);
  return ajv.addVocabulary(openApiKeywords);
}

/** Compiles the schema at a JSON pointer, its references followed. Throws Ajv's error where that fails. */
export type SchemaCompiler = (where: string) => ValidateFunction;

// The members of a document that hold schemas; nothing else in it can be referred to.
const holdersOfSchemas = ['components', 'paths', 'webhooks'];

/** A compiler for the schemas of one document. What Ajv refuses in the document is thrown on compiling. */
export function compilerFor(document: JsonRecord): SchemaCompiler {
  let ajv: Ajv2020 | null = null;
  return (where) => {
    ajv ??= ajvHolding(document);
    return ajv.compile({ $ref: `document${fragmentOf(where)}` });
  };
}

function ajvHolding(document: JsonRecord): Ajv2020 {
  const kept = Object.entries(document).filter(([member]) => holdersOfSchemas.includes(member));
  // Ajv takes the whole for a schema, so the members count as keywords; it is not checked as one.
  return strictAjv()
    .addVocabulary(holdersOfSchemas)
    .addSchema(Object.fromEntries(kept) as AnySchema, 'document', false, false);
}
