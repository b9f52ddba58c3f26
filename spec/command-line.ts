/** What was typed to run this command, for commands to type next: those who use npx have no `plumbline` on their path. */
export const typedCommand: string =
  process.env.npm_command === 'exec' &&
  /[\\/]node_modules[\\/].*plumbline(?:\.js)?$/.test(process.argv[1] ?? '')
    ? 'npx plumbline-conformance'
    : 'plumbline';

/** Quotes a word of a shell command if the shell would read it otherwise. */
export function quoteForShell(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
