import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { controlDocument } from './generated/control.js';
import { openapiDocument } from './generated/openapi.js';

/** The component schemas of openapi.yaml that bodies are judged by. */
export type ContractSchema =
  | 'SecretName'
  | 'Guardrail'
  | 'GuardrailResponse'
  | 'KeyInformation'
  | 'KeyInformationResponse'
  | 'ErrorEnvelope'
  | 'StreamErrorChunk';

/** The component schemas of control.yaml that the control client reads answers by. */
export type ControlSchema = 'Capabilities' | 'World' | 'SecretList';

/** One place at which a value breaks a schema. */
export interface SchemaFault {
  /** The members that lead to the place, `['data', 'limit']`; a missing member is its own last step. */
  readonly path: readonly string[];
  readonly message: string;
}

// ajv-formats is CommonJS; under NodeNext its function is the module's `default` member.
const addFormats = addFormatsModule.default;

const documents = { openapi: openapiDocument, control: controlDocument } as const;
const compiled = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

function compiler(): Ajv2020 {
  if (ajv === undefined) {
    // The schemas themselves are validated by a test; checking them again would cost every start 50 ms.
    ajv = new Ajv2020({ strict: true, allErrors: true, validateSchema: false, allowUnionTypes: true });
    addFormats(ajv);
    // An OpenAPI document is no schema: its own members are unknown words to a strict Ajv.
    ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components']);
    for (const [name, document] of Object.entries(documents)) {
      ajv.addSchema(document as object, `plumbline:${name}`);
    }
  }
  return ajv;
}

function validator(document: keyof typeof documents, schema: string): ValidateFunction {
  const reference = `plumbline:${document}#/components/schemas/${schema}`;
  const known = compiled.get(reference);
  if (known !== undefined) return known;
  const made = compiler().compile({ $ref: reference });
  compiled.set(reference, made);
  return made;
}

// The names of members come from a server; a fault is told in a line.
const longestStep = 100;

/** A step of a JSON pointer. A long name is not told in part, since a part of a key in it could not be redacted. */
function stepOf(step: string): string {
  if (step.length > longestStep) return '(a long name)';
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function faultOf(error: ErrorObject): SchemaFault {
  const path = error.instancePath.split('/').slice(1).map(stepOf);
  const missing: unknown = error.params.missingProperty;
  if (typeof missing === 'string') return { path: [...path, missing], message: 'is missing' };
  return { path, message: error.message ?? 'breaks the schema' };
}

function faultsOf(validate: ValidateFunction, value: unknown): readonly SchemaFault[] {
  return validate(hasLongList(value) ? withShortLists(value) : value)
    ? []
    : (validate.errors ?? []).map(faultOf);
}

const elementsJudged = 5_000;
const levelsOfLists = 4;

function hasLongList(value: unknown, level = 0): boolean {
  if (typeof value !== 'object' || value === null || level > levelsOfLists) return false;
  if (Array.isArray(value) && value.length > elementsJudged) return true;
  return Object.values(value).some((member) => hasLongList(member, level + 1));
}

/** A copy whose lists have an end: each element that breaks a schema is a fault, and a body holds half a million. */
function withShortLists(value: unknown, level = 0): unknown {
  if (typeof value !== 'object' || value === null || level > levelsOfLists) return value;
  if (Array.isArray(value))
    return value.slice(0, elementsJudged).map((element) => withShortLists(element, level + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withShortLists(member, level + 1)]),
  );
}

/** Where a value breaks a schema of openapi.yaml; empty where it satisfies it. */
export function contractFaults(schema: ContractSchema, value: unknown): readonly SchemaFault[] {
  return faultsOf(validator('openapi', schema), value);
}

/** Where a value breaks a schema of control.yaml; empty where it satisfies it. */
export function controlFaults(schema: ControlSchema, value: unknown): readonly SchemaFault[] {
  return faultsOf(validator('control', schema), value);
}
