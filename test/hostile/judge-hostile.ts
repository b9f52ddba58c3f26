import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XmlDocument } from 'libxml2-wasm';
import { expect } from 'vitest';
import type { Report } from '../../spec/report.js';
import type { RunCommand } from '../cli/command-runner.js';
import { expectNoStack, readReport } from '../cli/plumbline-process.js';
import { folder } from '../folders.js';

export interface Outcome {
  readonly exit: number;
  readonly verdict: Report['verdict'];
  readonly summary: string;
  readonly seconds: number;
  /** The most memory that the process has used, for this run or an earlier one. */
  readonly megabytes: number;
}

/** Seconds that every run may take, and that one request may. */
export const limits = { run: 10, request: 3, waitingRequest: 0.5 } as const;
const maxMegabytes = 300;

export async function judgeHostile(flags: readonly string[], runCommand: RunCommand): Promise<Outcome> {
  const parent = folder();
  const [cwd = '', HOME = '', TMPDIR = ''] = ['cwd', 'home', 'tmp'].map((name) => join(parent, name));
  const untouched = [cwd, HOME, TMPDIR];
  for (const made of untouched) mkdirSync(made);
  const args = ['run', '--seed', '1', '--report', '../report', ...flags];
  const ended = await runCommand(args, cwd, { HOME, TMPDIR });
  const { code, stdout, stderr, ms, bytes = Number.NaN, cpuMs = Number.NaN } = ended;
  const printed = `${stdout}${stderr}`;
  expectNoStack(ended);
  expect([0, 1, 3, 4], printed).toContain(code);
  expect(printed, 'nothing that moves a terminal').not.toMatch(/[^\P{C}\n]/u);
  expect(readdirSync(parent)).toEqual(['cwd', 'home', 'report', 'tmp']);
  for (const made of untouched) expect(readdirSync(made)).toEqual([]);
  const report = readValidReport(join(parent, 'report'));
  expect(report.gate.exit_code).toBe(code);
  // What the machine's other work takes is not the run's: its own time is bounded strictly.
  expect(cpuMs / 1_000, 'seconds of its own').toBeLessThan(limits.run);
  expect(bytes / 1_048_576, 'megabytes').toBeLessThan(maxMegabytes);
  return {
    exit: report.gate.exit_code,
    verdict: report.verdict,
    summary: summarize(report),
    seconds: ms / 1_000,
    megabytes: bytes / 1_048_576,
  };
}

function readValidReport(directory: string): Report {
  const report = readReport(directory);
  for (const file of readdirSync(directory)) {
    const text = readFileSync(join(directory, file), 'utf8');
    if (/\.(?:json|sarif|har)$/.test(file)) JSON.parse(text);
    if (file.endsWith('.ndjson')) for (const line of text.trim().split('\n')) JSON.parse(line);
    if (file.endsWith('.xml')) XmlDocument.fromString(text).dispose();
  }
  return report;
}

function summarize({ run, checks, requirements }: Report): string {
  const found = checks.flatMap(({ failure }) => (failure === null ? [] : [failure.message]));
  const open = requirements.flatMap(({ status, reason }) =>
    reason !== null && (status === 'inconclusive' || reason.includes('the control call')) ? [reason] : [],
  );
  return [...new Set([...run.notes, ...found, ...open])].join('; ');
}
