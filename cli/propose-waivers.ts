import { access, constants, lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Policy } from '../judge/gate.js';
import { waiverProposal } from '../reports/waiver-proposal.js';
import { writeWhole } from '../reports/write-whole.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';
import { dayOf } from './waivers.js';

const flag = '--propose-waivers';
const daysProposed = 30;

/** Looks, before anything is sent, that the proposal can be written and writes over nothing. Throws UsageError. */
export async function assertProposable(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined)
    throw new UsageError(`${flag}: ${path} is there already. Name another file, or move that one away.`);
  const folder = dirname(path);
  const mayWrite = await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!mayWrite)
    throw new UsageError(
      `${flag}: ${folder} is no folder that can be written to. Make it, or name another file.`,
    );
}

/**
 * Writes waivers to fill in for every violation that decides, and tells so on standard error. Gives the files that it
 * wrote. Throws as `writeWhole` does.
 */
export async function proposeWaivers(
  path: string,
  report: Report,
  { decides }: Policy,
): Promise<readonly string[]> {
  if (report.gate.exit_code === exitCodes.suiteFault) {
    tell(`${path} is not written: the suite itself failed, so nothing that it saw may be waived.`);
    return [];
  }
  const expires = dayOf(new Date(Date.now() + daysProposed * 24 * 60 * 60 * 1000));
  const text = waiverProposal(report, { decides, expires });
  if (text === undefined) {
    tell(`${path} is not written: there is no violation to propose a waiver for.`);
    return [];
  }
  const file = await writeWhole(dirname(path), basename(path), text, flag);
  tell(`Wrote ${file}. Fill in reason and owner of each entry, then give it with --waivers.`);
  return [file];
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
