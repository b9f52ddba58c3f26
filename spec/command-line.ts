/** The name by which this program was called, for the commands that it suggests: under npx, `plumbline` is not on the path. */
export const typedCommand: string =
  process.env.npm_command === 'exec' &&
  /[\\/]node_modules[\\/].*plumbline(?:\.js)?$/.test(process.argv[1] ?? '')
    ? 'npx plumbline-conformance'
    : 'plumbline';

/** Quotes a word of a shell command if the shell would read it otherwise. */
export function quoteForShell(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
