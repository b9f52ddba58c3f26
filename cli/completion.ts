import type { Command, Option } from 'commander';
import { ledger } from '../spec/ledger.js';

// Each script calls `plumbline complete WORDS…`, which prints a word, a tab and its meaning per line; without a line the shell
// completes file names. The words are passed on unchanged, so that nothing typed is evaluated.
const scripts = {
  bash: `# plumbline completion bash >> ~/.bashrc
_plumbline() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done < <(
    plumbline complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o bashdefault -o default -F _plumbline plumbline
`,
  zsh: `#compdef plumbline
# plumbline completion zsh > "\${fpath[1]}/_plumbline", or add it to ~/.zshrc after compinit
_plumbline() {
  local line
  local -a found
  plumbline complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | while IFS= read -r line; do
    found+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done
  if (( \${#found} )); then _describe plumbline found; else _files; fi
}
if [[ $funcstack[1] == _plumbline ]]; then _plumbline; else compdef _plumbline plumbline; fi
`,
  fish: `# plumbline completion fish > ~/.config/fish/completions/plumbline.fish
function __plumbline_complete
  set -l words (commandline -opc) (commandline -ct)
  plumbline complete -- $words[2..-1] 2>/dev/null
end
complete -c plumbline -n 'test -n "$(__plumbline_complete)"' -f
complete -c plumbline -a '(__plumbline_complete)'
`,
};

/** Prints the script that makes a shell complete commands, flags, their values and requirement ids. Returns the exit code. */
export function printCompletion(shell: keyof typeof scripts): number {
  process.stdout.write(scripts[shell]);
  return 0;
}

/** Prints what the last of some words may be completed to. Returns the exit code. */
export function complete(program: Command, words: readonly string[]): number {
  // bash splits --flag=value into three words.
  const typed = words.filter((word) => word !== '=');
  const current = typed.at(-1) ?? '';
  const lines = findCandidates(program, typed.slice(0, -1), current)
    .filter(([word]) => word.startsWith(current))
    .map(([word, meaning]) => `${word}\t${meaning}\n`);
  process.stdout.write(lines.join(''));
  return 0;
}

type Candidate = readonly [word: string, meaning: string];

function findCandidates(program: Command, before: readonly string[], current: string): readonly Candidate[] {
  const command = program.commands.find((each) => each.name() === before[0]);
  if (command === undefined) {
    if (before.length > 0) return [];
    if (current.startsWith('-')) return listFlags(program);
    const shown = program.createHelp().visibleCommands(program);
    return shown.map((each) => [each.name(), each.description()]);
  }
  const option = command.options.find(({ long, short }) => [long, short].includes(before.at(-1)));
  if (option?.required || option?.optional) return listValues(command, option);
  if (current.startsWith('-')) return listFlags(command);
  const [argument] = command.registeredArguments;
  if (argument?.argChoices !== undefined) return argument.argChoices.map((choice) => [choice, '']);
  return command.name() === 'explain' ? listRequirementIds() : [];
}

function listFlags(command: Command): readonly Candidate[] {
  const shown = command.createHelp().visibleOptions(command);
  return shown.map(({ long, short, description }) => [long ?? short ?? '', description]);
}

function listValues(command: Command, { argChoices, long }: Option): readonly Candidate[] {
  if (argChoices !== undefined) return argChoices.map((choice) => [choice, '']);
  const isSelection = (long === '--only' || long === '--skip') && command.name() !== 'prove';
  return isSelection ? listRequirementIds() : [];
}

function listRequirementIds(): readonly Candidate[] {
  return ledger.map(({ id, statement }) => [id, statement]);
}
