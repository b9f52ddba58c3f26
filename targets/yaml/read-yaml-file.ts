import { fileText, UnreadableFile } from '../../spec/file-text.js';
import { placeText, type YamlFault } from './place.js';
import { readYaml, YamlError, type YamlValue } from './read-yaml.js';

// What people write by hand is a few kilobytes long.
const mostBytes = 1_000_000;

/** Reads the YAML document that a file holds. What `refuse` makes of a line that names the file is thrown. */
export async function readYamlFile(
  path: string,
  refuse: (lines: readonly string[]) => Error,
): Promise<YamlValue> {
  try {
    return readYaml(await fileText(path, mostBytes));
  } catch (error) {
    if (error instanceof UnreadableFile) throw refuse([`${path}: ${error.message}`]);
    if (error instanceof YamlError) throw refuse([`${path}:${error.line}: ${error.message}`]);
    throw error;
  }
}

/** Faults as lines of text, `plumbline.yaml:12: keys.member: …`, each once, in the order of the file. */
export function faultLines(
  path: string,
  faults: readonly YamlFault[],
  { lineOf }: Pick<YamlValue, 'lineOf'>,
): readonly string[] {
  const placed = faults.map(({ place, message, line = lineOf(place) }) => ({
    line,
    text: place.length === 0 ? message : `${placeText(place)}: ${message}`,
  }));
  placed.sort((one, other) => one.line - other.line);
  return [...new Set(placed.map(({ line, text }) => `${path}:${line}: ${text}`))];
}
