import { Argument, type Command } from "commander";
import type { CommandEntries } from "../command-module.js";
import { addExamples } from "../examples.js";
import type { Io } from "../io.js";
import { SCRIPTS, SHELLS, type Shell } from "./scripts.js";
import { knownCommands } from "./words.js";

export function define(command: Command, io: Io, all: CommandEntries): void {
  addExamples(
    command,
    "source <(saas-management completion bash)       # in ~/.bashrc",
    "saas-management completion zsh > ~/.zfunc/_saas-management   # a folder of fpath",
    "saas-management completion fish > ~/.config/fish/completions/saas-management.fish",
  );
  command
    .description("Prints a script that completes commands and options in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action(async (shell: Shell) => {
      const script = SCRIPTS[shell](await knownCommands(all, io));
      if (io.json) io.data({ shell, script }, () => script);
      else io.write(script);
    });
}
