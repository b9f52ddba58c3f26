import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErrorObject } from 'ajv';
import { isObject, readJson } from '../spec/json.js';
import { schemaValidator } from '../spec/json-schema.js';
import { readTextFile } from '../spec/read-file.js';
import { findReasonCode, type ReasonCode } from '../spec/reasons.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';
import { sanitizeLine, truncate } from './sanitize.js';

// A report with the evidence of every requirement failed has a few megabytes.
const mostBytes = 100_000_000;

/** A report cannot be read; the message says which, why and what to do. */
export class UnreadableReport extends UsageError {}

/** Reads a report, or the `report.json` of a folder; new members get defaults. Throws UnreadableReport. */
export async function loadReport(path: string): Promise<Report> {
  const found = await stat(path).catch(() => undefined);
  const file = found?.isDirectory() === true ? join(path, 'report.json') : path;
  const refuse = (why: string) => new UnreadableReport(`${file} ${why}. Give a report.json or its folder.`);
  const text = await readTextFile(file, mostBytes, refuse);
  const { value, fault } = readJson(text);
  if (fault === undefined) return checkReport(value, file);
  throw new UnreadableReport(
    `${file} ${fault}: it may be cut short or another file; run again to regenerate it.`,
  );
}

/** Narrows a parsed value to a report. Throws UnreadableReport, which names `file`. */
export function checkReport(value: unknown, file: string): Report {
  if (!isObject(value) || value.format !== 'plumbline-report/1')
    throw new UnreadableReport(
      `${file} is not a report of plumbline: its "format" is not plumbline-report/1.`,
    );
  completeFailures(value);
  const validate = schemaValidator('report', { useDefaults: true });
  if (!validate(value)) {
    const why = explainSchemaError(validate.errors);
    throw new UnreadableReport(`${file} is not a valid report: ${why}; run again to regenerate it.`);
  }
  const report = value as unknown as Report;
  addReasonCodes(report);
  return report;
}

/** A failure without a requirement of its own is about the first that its check decides; Ajv sets no default there. */
function completeFailures({ checks }: Readonly<Record<string, unknown>>): void {
  for (const check of Array.isArray(checks) ? checks : []) {
    if (!isObject(check) || !isObject(check.failure) || !Array.isArray(check.requirements)) continue;
    const { requirement = check.requirements[0], situation = '' } = check.failure;
    Object.assign(check.failure, { requirement, situation });
  }
}

/** Adds the codes to the reasons of a report of version 0.1, which had sentences only. */
function addReasonCodes({ requirements, checks, run }: Report): void {
  const codeOf = (sentence: string): ReasonCode | null =>
    run.notes.includes(sentence) ? 'unjudged' : (findReasonCode(sentence) ?? null);
  const parts: { readonly reason: string | null; reason_code?: ReasonCode | null }[] = [
    ...requirements,
    ...checks,
    ...checks.flatMap(({ says = [] }) => says),
  ];
  for (const part of parts) {
    if (part.reason_code === undefined) part.reason_code = part.reason === null ? null : codeOf(part.reason);
  }
}

/** Explains where a value breaks a schema, and how; the names of members come from a file, and may be anything. */
export function explainSchemaError(errors: readonly ErrorObject[] | null | undefined): string {
  const [first] = errors ?? [];
  if (first === undefined) return 'it does not match its schema';
  const { instancePath, keyword, message = 'is invalid' } = first;
  const place = instancePath === '' ? 'the whole' : instancePath;
  // The regular expression would help nobody.
  return sanitizeLine(`${truncate(place, 120)} ${keyword === 'pattern' ? 'is invalid' : message}`);
}
