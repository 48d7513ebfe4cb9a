import { Argument, Command } from "commander";
import { addExamples, type CommandEntries } from "../command-module.js";
import type { Io } from "../io.js";

/** The scripts ask this command itself: `completion SHELL -- WORDS` prints what may take the place of the last word. */
const SCRIPTS = {
  bash: `_saas_management() {
  local IFS=$'\\n'
  COMPREPLY=($(saas-management completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _saas_management saas-management
`,
  zsh: `#compdef saas-management
_saas_management() {
  local -a found=("\${(@f)$(saas-management completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n $found ]] && compadd -a found || _files
}
if [[ $funcstack[1] == _saas-management ]]; then _saas_management "$@"; else compdef _saas_management saas-management; fi
`,
  fish: `function __saas_management
  set -l found (saas-management completion fish -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]; printf '%s\\n' $found; else; __fish_complete_path (commandline -ct); end
end
complete -c saas-management -f -a '(__saas_management)'
`,
};

type Shell = keyof typeof SCRIPTS;

export function define(command: Command, io: Io, all: CommandEntries): void {
  addExamples(
    command,
    "source <(saas-management completion bash)       # in ~/.bashrc",
    "saas-management completion zsh > ~/.zfunc/_saas-management   # a folder of fpath",
    "saas-management completion fish > ~/.config/fish/completions/saas-management.fish",
  );
  command
    .description("Prints a script that completes commands and options in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SCRIPTS)))
    .argument("[words...]", "complete the last of these words")
    .action(async (shell: Shell, words: readonly string[]) => {
      const script = SCRIPTS[shell];
      if (words.length > 0) io.write((await offers(words, all, io)).map((word) => `${word}\n`).join(""));
      else if (io.json) io.data({ shell, script }, () => script);
      else io.write(script);
    });
}

/** What may take the place of the last word; nothing where a file or a value of one's own stands. */
async function offers(words: readonly string[], all: CommandEntries, io: Io): Promise<readonly string[]> {
  const [name = "", ...rest] = words;
  const [before, last = ""] = [words.at(-2), words.at(-1)];
  if (rest.length === 0)
    return [...Object.keys(all), "help", "--help", "--version"].filter((word) => word.startsWith(name));
  const command = new Command(name);
  (await all[name]?.load())?.define(command, io, all);
  const { options, registeredArguments } = command;
  const option = options.find(({ long, required }) => required && long === before);
  const values = registeredArguments[0]?.argChoices ?? [];
  const flags = [...options.flatMap(({ long }) => long ?? []), "--json", "--help"];
  const known = option === undefined ? [...values, ...flags] : (option.argChoices ?? []);
  return known.filter((word) => word.startsWith(last));
}
