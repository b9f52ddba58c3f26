import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JsonFault, parseJson } from '../spec/json.js';
import { schemaValidator } from '../spec/json-schema.js';
import { readTextFile, UnreadableFile } from '../spec/read-file.js';
import { findReasonCode, type ReasonCode } from '../spec/reasons.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';
import { schemaFaultText } from './schema-fault-text.js';

// One with the evidence of every requirement violated has a few of them.
const mostBytes = 100_000_000;

/** A report that cannot be read, told in a line with its path and what to do. */
export class UnreadableReport extends UsageError {}

/**
 * Reads a report: the file itself, or the `report.json` of a folder. Members that earlier writers did not know get
 * their defaults. Throws UnreadableReport.
 */
export async function readReport(path: string): Promise<Report> {
  const file = await fileOf(path);
  const text = await readTextFile(file, mostBytes).catch((error: unknown) => {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new UnreadableReport(`${file} ${error.message}; give a report.json or its folder.`);
  });
  return checkedReport(parsed(text, file), file);
}

/** Narrows a parsed value to a report. Throws UnreadableReport, which names `file`. */
export function checkedReport(value: unknown, file: string): Report {
  const format: unknown = isObject(value) ? value.format : undefined;
  if (format !== 'plumbline-report/1')
    throw new UnreadableReport(`${file} is no report of plumbline: its "format" is not plumbline-report/1.`);
  nameFailures(value);
  const validate = schemaValidator('report', { useDefaults: true });
  if (validate(value)) {
    codeReasons(value as Report);
    return value as Report;
  }
  const why = schemaFaultText(validate.errors);
  throw new UnreadableReport(`${file} is a broken report: ${why}; write it anew with run.`);
}

async function fileOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true ? join(path, 'report.json') : path;
}

function parsed(text: string, file: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new UnreadableReport(
      `${file} ${error.message}: it may be cut short or another file; write it anew with run.`,
    );
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

/** Gives the reasons in a report of version 0.1, which had sentences only, their codes. */
function codeReasons({ requirements, checks, run }: Report): void {
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
