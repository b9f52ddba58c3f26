/** What GitHub Actions is told in a line of output. */
export interface WorkflowCommand {
  readonly name: 'error' | 'warning' | 'notice';
  readonly properties: Readonly<Record<string, string | number>>;
  readonly message: string;
}

const inData: Readonly<Record<string, string>> = { '%': '%25', '\r': '%0D', '\n': '%0A' };
const inProperties: Readonly<Record<string, string>> = { ...inData, ':': '%3A', ',': '%2C' };

/** A command as its line, whatever its texts hold; it ends with a line end. */
export function commandLine({ name, properties, message }: WorkflowCommand): string {
  const told = Object.entries(properties).map(
    ([key, value]) => `${key}=${replaced(String(value), inProperties)}`,
  );
  return `::${name} ${told.join(',')}::${replaced(message, inData)}\n`;
}

function replaced(text: string, replacements: Readonly<Record<string, string>>): string {
  return text.replace(/[%\r\n:,]/g, (found) => replacements[found] ?? found);
}

/**
 * A line in which GitHub Actions finds no command: it takes one at the beginning of a line, blanks aside, and one of
 * the older form, `##[…]`, anywhere.
 */
export function withoutCommands(line: string): string {
  return line.replace(/^(\s*):(?=:)/, '$1\\:').replaceAll('##[', '##\\[');
}
