import type { KnownCommand, KnownOption } from "./words.js";

const NAME = "saas-management";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export const SCRIPTS: Readonly<Record<Shell, (commands: readonly KnownCommand[]) => string>> = {
  bash,
  zsh,
  fish,
};

function bash(commands: readonly KnownCommand[]): string {
  const values = commands.flatMap(({ name, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flag, choices }) => `    ${name}:${flag}) words="${choices.join(" ")}" ;;`),
  );
  const words = commands.map(
    ({ name, options, choices }) =>
      `      ${name}) words="${[...choices, ...options.map(({ flag }) => flag)].join(" ")}" ;;`,
  );
  return `# bash completion: source <(${NAME} completion bash)
_saas_management() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} words=""
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} help --help --version" -- "$cur"))
    return
  fi
  case "$command:$prev" in
${values.join("\n")}
    *) case "$command" in
${words.join("\n")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _saas_management ${NAME}
`;
}

function zsh(commands: readonly KnownCommand[]): string {
  const argumentOf = ({ choices }: KnownCommand) =>
    choices.length === 0 ? "'*:file:_files'" : `'1:what:(${choices.join(" ")})'`;
  const optionOf = ({ flag, description, takesValue, choices }: KnownOption) => {
    const value = choices.length === 0 ? ":value:_files" : `:value:(${choices.join(" ")})`;
    return quoted(`${flag}[${description.replace(/[[\]:\\]/g, "\\$&")}]${takesValue ? value : ""}`);
  };
  const cases = commands.map((command) => {
    const all = [...command.options.map(optionOf), argumentOf(command)];
    return `    ${command.name}) _arguments ${all.join(" ")} ;;`;
  });
  const described = commands.map(({ name, summary }) => quoted(`${name}:${summary.replaceAll(":", "\\:")}`));
  return `#compdef ${NAME}
# zsh completion: ${NAME} completion zsh > a file _${NAME} in a folder of $fpath
_saas_management() {
  local -a commands=(${described.join(" ")})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join("\n")}
  esac
}
if [[ $funcstack[1] == _saas-management ]]; then _saas_management "$@"; else compdef _saas_management ${NAME}; fi
`;
}

function fish(commands: readonly KnownCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options, choices }) => {
    const within = `complete -c ${NAME} -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c ${NAME} -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...(choices.length === 0 ? [] : [`${within} -f -a ${quoted(choices.join(" "))}`]),
      ...options.map(({ flag, description, takesValue, choices: values }) => {
        const value = values.length === 0 ? " -r" : ` -x -a ${quoted(values.join(" "))}`;
        return `${within} -l ${flag.slice(2)}${takesValue ? value : ""} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# fish completion: ${NAME} completion fish > ~/.config/fish/completions/${NAME}.fish\n${lines.join("\n")}\n`;
}

/** For all three shells; fish alone reads \\\\ in single quotes, and no text has one. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
