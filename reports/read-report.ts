import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Report } from '../spec/report.js';

/** A report that cannot be read, told in a line with its path and what to do. */
export class UnreadableReport extends Error {}

/**
 * Reads a report: the file itself, or the `report.json` of a folder. Members that earlier writers did not know get
 * their defaults. Throws UnreadableReport.
 */
export async function readReport(path: string): Promise<Report> {
  const file = await fileOf(path);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UnreadableReport(
      `${file} cannot be read (${codeOf(error)}); give a report.json or its folder.`,
    );
  });
  return checkedReport(parsed(text, file), file);
}

/** Narrows a parsed value to a report. Throws UnreadableReport, which names `file`. */
export function checkedReport(value: unknown, file: string): Report {
  const format: unknown = isObject(value) ? value.format : undefined;
  if (format !== 'plumbline-report/1')
    throw new UnreadableReport(`${file} is no report of plumbline: its "format" is not plumbline-report/1.`);
  nameFailures(value);
  const validate = validator();
  if (validate(value)) return value as Report;
  const [first] = validate.errors ?? [];
  throw new UnreadableReport(`${file} is a broken report: ${placeOf(first)}; write it anew with run.`);
}

async function fileOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true ? join(path, 'report.json') : path;
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new UnreadableReport(`${file} is no JSON: it may be cut short; write it anew with run.`);
  }
}

/** A failure without a requirement of its own is one of the first that its check decides; Ajv sets no default there. */
function nameFailures(value: unknown): void {
  const checks: unknown = isObject(value) ? value.checks : undefined;
  for (const check of Array.isArray(checks) ? checks : []) {
    if (!isObject(check) || !isObject(check.failure) || !Array.isArray(check.requirements)) continue;
    check.failure.requirement ??= check.requirements[0];
    check.failure.situation ??= '';
  }
}

let compiled: ValidateFunction | undefined;

function validator(): ValidateFunction {
  const schema = new URL('../spec/report.schema.json', import.meta.url);
  // A test checks the schema itself.
  compiled ??= new Ajv2020({ useDefaults: true, validateSchema: false, strict: false }).compile(
    JSON.parse(readFileSync(schema, 'utf8')) as object,
  );
  return compiled;
}

function placeOf(error: ErrorObject | undefined): string {
  return error === undefined ? 'it breaks its schema' : `${error.instancePath || '/'} ${error.message ?? ''}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
