import type { RequirementId } from '../../spec/ledger.js';
import { UsageError } from '../../spec/thrown.js';
import { schemaFaults } from '../../targets/schema-errors.js';
import { faultLines, type Place, readYamlFile, type YamlValue } from '../../targets/yaml-file.js';
import type { Waiver } from './waiver.js';
import { type WrittenWaiver, waiverFaults } from './waiver-rules.js';

/** A waivers file cannot be used: told in one line for each fault, exit code 2. */
export class WaiversError extends UsageError {
  override readonly name = 'WaiversError';

  /** Takes all faults, one line each: `waivers.yaml:12: waivers[1].id: …`. */
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** What waivers are read for. */
export interface WaiverReading {
  /** The requirements that the run is to decide: a waiver for another counts for nothing, be it expired. */
  readonly selects: (id: RequirementId) => boolean;
  /** The day, in UTC. */
  readonly today: string;
}

/**
 * Reads and checks the waivers of a file. Throws WaiversError with everything that is wrong with it, in the order of
 * the lines.
 */
export async function readWaivers(path: string, reading: WaiverReading): Promise<readonly Waiver[]> {
  const yaml = await readYamlFile(path, (lines) => new WaiversError(lines));
  const { value } = yaml;
  if (value == null)
    throw new WaiversError([`${path}: is empty; "run --propose-waivers FILE" writes one to begin with`]);
  const list: Place = Array.isArray(value) ? [] : ['waivers'];
  const written = entriesOf(value);
  const found = [
    ...yaml.faults,
    ...schemaFaults('waivers.schema.json', value),
    ...waiverFaults(
      written,
      (at, member) => [...list, String(at), ...(member === undefined ? [] : [member])],
      {
        ...reading,
        lineOf: (place) => yaml.lineOf(place),
      },
    ),
  ];
  if (found.length > 0) throw new WaiversError(faultLines(path, found, yaml));
  return placed(written as readonly Omit<Waiver, 'at'>[], { path, list, yaml });
}

/** The entries of a list, or of the member that holds it; none where there is no list. */
function entriesOf(value: unknown): readonly WrittenWaiver[] {
  const holder = typeof value === 'object' && value !== null && 'waivers' in value ? value.waivers : value;
  const isMapping = (entry: unknown): entry is WrittenWaiver => typeof entry === 'object' && entry !== null;
  // What is no mapping is the schema's to tell; it keeps its place in the list.
  return Array.isArray(holder) ? holder.map((entry: unknown) => (isMapping(entry) ? entry : {})) : [];
}

function placed(
  waivers: readonly Omit<Waiver, 'at'>[],
  { path, list, yaml }: { readonly path: string; readonly list: Place; readonly yaml: YamlValue },
): readonly Waiver[] {
  return waivers.map((waiver, at) => ({ ...waiver, at: `${path}:${yaml.lineOf([...list, String(at)])}` }));
}
