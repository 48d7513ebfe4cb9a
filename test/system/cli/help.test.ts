import { expect, test } from "vitest";
import { runCli } from "../../support/cli.js";

const CONNECTED = "--installation --api-key-file --config --verbose --json";
const RUN = `--dry-run --preview --first-run --wait-for-lock ${CONNECTED}`;

/** The commands, with all options that each of them has. */
const COMMANDS = {
  push: `--delimiter --encoding ${RUN}`,
  run: RUN,
  status: `--ids --format ${CONNECTED}`,
  approve: CONNECTED,
  doctor: CONNECTED,
  export: `--format --where --order --fields --limit --page-size ${CONNECTED}`,
  report: `--format --days --page-size ${CONNECTED}`,
  serve: "--demo --write-env --host --port --sync-port --tls-cert --tls-key --json",
  init: "",
};

test("the help lists these commands and no others", async () => {
  const { out } = await runCli(["--help"]);
  const listed = out.slice(out.indexOf("Commands:")).matchAll(/^ {2}(\w+) /gm);
  expect([...listed].map(([, name]) => name)).toEqual([...Object.keys(COMMANDS), "help"]);
});

test.each(Object.entries(COMMANDS))(
  "the help of %s lists its options and no others",
  async (name, options) => {
    const { code, out } = await runCli([name, "--help"]);
    const lines = out
      .slice(out.indexOf("Options:"))
      .split("\n")
      .filter((line) => line.startsWith("  -"));
    const listed = lines.flatMap(
      (line) => line.match(/(?<=[ ,])--[\w-]+(?=[ ,])/g)?.slice(0, line.includes(", --") ? 2 : 1) ?? [],
    );
    expect({ code, listed }).toEqual({ code: 0, listed: `${options} --help`.trim().split(" ") });
    if (name === "approve") expect(out).toMatch(/approved\s+by\s+mistake,\s+push\s+the\s+correct\s+source/);
  },
);

test("prints the help without a command, and exits with 0", async () => {
  const [alone, asked] = await Promise.all([runCli([]), runCli(["--help"])]);
  expect(alone).toEqual(asked);
  expect(alone).toMatchObject({ code: 0, error: "" });
});
