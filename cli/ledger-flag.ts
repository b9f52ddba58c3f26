import { InvalidArgumentError } from 'commander';
import { compareVersions, firstRelease, isVersion } from '../spec/ledger-version.js';
import { toolVersion } from '../spec/version.js';

/** The release whose ledger a gate holds to. */
export function ledgerRelease(given: string): string {
  if (!isVersion(given))
    throw new InvalidArgumentError(`It takes a version of three numbers, such as ${firstRelease}.`);
  if (compareVersions(given, firstRelease) < 0)
    throw new InvalidArgumentError(`The first release with a ledger is ${firstRelease}.`);
  if (compareVersions(given, toolVersion) > 0)
    throw new InvalidArgumentError(`This is plumbline ${toolVersion}, which knows no later ledger.`);
  return given;
}
