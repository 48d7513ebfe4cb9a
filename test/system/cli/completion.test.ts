import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CLI, runCli, TSX } from "../../support/cli.js";

/** Puts the script of a shell where that looks for it, and the command that it calls. */
async function scriptOf(shell: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "completion-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { out } = await runCli(["completion", shell]);
  const file = join(folder, "_saas-management");
  writeFileSync(file, out);
  const command = `#!/bin/sh\nexec "${process.execPath}" --import "${TSX}" "${CLI}" "$@"\n`;
  writeFileSync(join(folder, "saas-management"), command, { mode: 0o755 });
  return file;
}

/** A machine of a developer may lack a shell; CI must have all. */
const isMissing = (shell: string) =>
  process.env["CI"] === undefined && spawnSync(shell, ["-c", "true"]).error !== undefined;

function outputOf(
  shell: string,
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv = {},
): string {
  const { stdout, stderr } = spawnSync(shell, args, {
    encoding: "utf8",
    env: { PATH: `${folder}:${process.env["PATH"]}`, HOME: tmpdir(), TERM: "xterm", ...env },
    timeout: 30_000,
  });
  expect(stderr).toBe("");
  return stdout;
}

const WORDS = `source "$FILE"; read -ra COMP_WORDS <<< "$LINE"; [[ $LINE == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _saas_management; printf '%s\\n' "\${COMPREPLY[@]}"`;

/** What each shell offers after a line, one word a line. */
const COMPLETE: Readonly<Record<string, (line: string, file: string) => string>> = {
  bash: (line, file) => outputOf("bash", ["--norc", "-c", WORDS], dirname(file), { FILE: file, LINE: line }),
  fish: (line, file) =>
    outputOf("fish", ["--no-config", "-c", 'source $FILE; complete -C "$LINE"'], dirname(file), {
      FILE: file,
      LINE: line,
    })
      .split("\n")
      .map((offer) => offer.split("\t", 1)[0] ?? "")
      .join("\n"),
};

for (const shell of ["bash", "fish"])
  test.skipIf(isMissing(shell))(
    `${shell} completes commands, options, and values that are known`,
    async () => {
      const file = await scriptOf(shell);
      const offers = (line: string) => COMPLETE[shell]?.(line, file).trim().split("\n").sort();
      expect(offers("saas-management re")).toEqual(["refuse", "report"]);
      expect(offers("saas-management export licen")).toEqual(["license-plans", "licenses"]);
      expect(offers("saas-management export --fo")).toEqual(["--format"]);
      expect(offers("saas-management report --format ")).toEqual(["csv", "html", "table"]);
      expect(offers("saas-management serve --control")).toEqual(["--control-port"]);
    },
  );

/** A shell in a pseudo terminal, as people use it: what it makes of a line and the tabulator key. */
const ZSH = `
zmodload zsh/zpty
zpty z "TERM=dumb zsh -f -i"
zpty -w z 'PS1=; unsetopt zle_bracketed_paste; autoload -Uz compinit; fpath=("$FOLDER" $fpath); compinit -u -D; print READY-$((1 + 1))'
zpty -r z line '*READY-2*'
zpty -w -n z "$LINE"$'\\t'
zpty -r z line "*$EXPECTED*" && print -r -- found
zpty -d z
`;

test.skipIf(isMissing("zsh")).each([
  ["saas-management exp", "export "],
  ["saas-management report --format h", "html"],
  ["saas-management serve --cont", "--control-port"],
  ["saas-management export applic", "applications"],
])("zsh completes %o to %o", async (line, expected) => {
  const FOLDER = dirname(await scriptOf("zsh"));
  expect(outputOf("zsh", ["-f", "-c", ZSH], FOLDER, { FOLDER, LINE: line, EXPECTED: expected })).toContain(
    "found",
  );
});

test("refuses other shells", async () => {
  const { code, error } = await runCli(["completion", "tcsh"]);
  expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining("bash, zsh, fish") });
});
