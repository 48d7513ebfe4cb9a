import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { startReferenceServer } from "../../../src/testing/index.js";
import { runCli, settingsOf } from "../../support/cli.js";
import { ids, testService } from "../../support/test-service.js";

const service = testService();
/** Words that only make sense in the SDK's API. */
const WORDS_OF_THE_API =
  /firstRun|waitForLockMs|approve:|process\.argv|fromEnv|fileLedger|serverMessage|apiKey|encoding:|See (the )?(errors?|cause|log)\b|in issues/;

type Faults = Awaited<ReturnType<typeof startReferenceServer>>["faults"];

interface Case {
  readonly what: string;
  readonly fault?: Parameters<Faults["add"]>[0];
  readonly prepare?: () => Promise<unknown>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly says: readonly (string | RegExp)[];
  /** @default no hints */
  readonly hints?: RegExp;
}

const CASES: readonly Case[] = [
  {
    what: "a service that rejects",
    fault: {
      on: "StartSyncBatch",
      fault: "status",
      status: "INVALID_ARGUMENT",
      details: "no \u001b[2J such thing",
    },
    says: [
      "rejected the operation with INVALID_ARGUMENT.\n",
      "  the service says: no \\u001b[2J such thing\n",
    ],
  },
  {
    what: "errors of GraphQL",
    fault: { on: "graphql", fault: "graphql-errors", errors: [{ message: "no such \u009b thing" }] },
    args: ["export", "licenses"],
    says: ["  the service says: no such \\u009b thing\n"],
  },
  {
    what: "a ledger that cannot be read",
    env: { XDG_STATE_HOME: "/dev/null" },
    says: [/The ledger .* could not be read: ENOTDIR: not a directory/],
  },
  {
    what: "a ledger that is damaged",
    prepare: async () => {
      for (const name of ["u1", "u2"]) await service.runAccounts([name], { guard: false });
      await writeFile(await service.file(/state\.00000002$/), "{}");
    },
    args: ["push", "accounts.csv"],
    says: ["Held: the ledger cannot be read. Nothing was sent.", /^(?!.*state\.00000002.*state\.00000002)/s],
    hints: /saas-management approve/,
  },
  {
    what: "a lock that is held",
    prepare: () => service.startBatch(),
    says: ["Use --wait-for-lock SECONDS to wait"],
    hints: /^ {2}saas-management doctor {2}# to see whose lock it is$/,
  },
  {
    what: "an outage, once",
    fault: { on: "StartSyncBatch", fault: "status", status: "UNAVAILABLE", times: 6 },
    says: [/^Warning: the service is unavailable; (?!.*the service is unavailable; )/ms],
  },
  {
    what: "too many requests, without a hint at a lock",
    fault: { on: "StartSyncBatch", fault: "status", status: "RESOURCE_EXHAUSTED", times: 9 },
    says: ["StartSyncBatch: too many requests"],
  },
  {
    what: "a first run that is none",
    prepare: () => service.run(["accounts"], (batch) => batch.write("accounts", [{ id: "u1" }])),
    says: [/--first-run must not be set: the ledger .* has earlier runs .*\. Leave it out\.\n/],
  },
  {
    what: "no installation",
    env: { SAAS_MANAGEMENT_INSTALLATION_ID: "" },
    says: ["use SAAS_MANAGEMENT_INSTALLATION_ID or --installation ID"],
  },
  {
    what: "no key",
    env: { SAAS_MANAGEMENT_API_KEY: "" },
    says: ["use SAAS_MANAGEMENT_API_KEY or --api-key-file FILE"],
    hints: /^ {2}saas-management doctor {2}# to check addresses, proxy and key$/,
  },
  {
    what: "settings that are only in a file .env",
    prepare: () => service.writeFile(".env", "SAAS_MANAGEMENT_SYNC_URL=http://127.0.0.1:1\n"),
    env: { SAAS_MANAGEMENT_SYNC_URL: "", SAAS_MANAGEMENT_BASE_URL: "" },
    says: [
      "Set SAAS_MANAGEMENT_BASE_URL",
      "\n  set -a && . ./.env && set +a  # to load the settings in .env\n",
    ],
  },
  {
    what: "a file without rows",
    prepare: () => service.writeFile("accounts.csv", "id\n"),
    says: [/if a file without rows is valid, set allowEmpty for it in a configuration\.\n/],
  },
  {
    what: "a file in an encoding of its own",
    prepare: () => writeFile(`${service.directory}/accounts.csv`, "id,name\nu1,J\u00f6rg\n", "latin1"),
    says: [/such as --encoding windows-1252\.\n$/],
  },
  {
    what: "a workbook whose name ends with .csv, without a guess at its cells",
    prepare: () => service.writeFile("accounts.csv", "PK\u0003\u0004|;||"),
    says: [/^saas-management: accounts\.csv is a ZIP archive or an Excel file \(XLSX\)/],
  },
];

test.each(CASES)(
  "says in the shell's terms why, and what helps: $what",
  async ({ fault, prepare, args, env, says, hints = /^$/ }) => {
    await service.writeFile("accounts.csv", "id\nu1\n");
    const config = { ledger: ".", retry: { retries: 1, minDelayMs: 1, maxDelayMs: 1 } };
    if (env?.["XDG_STATE_HOME"] === undefined)
      await service.writeFile("saas-management.config.json", JSON.stringify(config));
    await prepare?.();
    if (fault !== undefined) service.server.faults.add(fault);
    const { error } = await runCli(args ?? ["push", "accounts.csv", "--first-run"], {
      cwd: service.directory,
      env: { ...settingsOf(service), ...env },
    });
    for (const text of says) expect(error).toMatch(text);
    expect(error).not.toMatch(WORDS_OF_THE_API);
    for (const [, reason = ""] of error.matchAll(/^ {2}(?:because|the service says): (.*?)\.?$/gm))
      expect(error.split(reason)).toHaveLength(2);
    expect([...error.matchAll(/^ {2}saas-management .*$/gm)].join("\n")).toMatch(hints);
  },
);

test("a held run is reported in the shell's terms", async () => {
  await service.writeFile("saas-management.config.json", JSON.stringify({ ledger: "." }));
  const push = async (count: number) => {
    await service.writeFile("accounts.csv", `id\n${ids(count).join("\n")}\n`);
    return runCli(["push", "accounts.csv"], { cwd: service.directory, env: settingsOf(service) });
  };
  const first = await push(40);
  expect(first.error).toContain("saas-management push accounts.csv --first-run  # if this is the first run");
  expect(first.error).not.toMatch(WORDS_OF_THE_API);
  const { out } = await runCli(["status"], { cwd: service.directory, env: settingsOf(service) });
  expect(out).not.toMatch(WORDS_OF_THE_API);
});

test("--verbose prints each attempt, and each retry with its reason, number and delay", async () => {
  service.server.faults.add({ on: "StartSyncBatch", fault: "status", status: "UNAVAILABLE", times: 1 });
  await service.writeFile("accounts.csv", "id\nu1\n");
  const args = ["push", "accounts.csv", "--first-run", "--verbose"];
  const { code, error } = await runCli(args, { cwd: service.directory, env: settingsOf(service) });
  expect(code).toBe(0);
  expect(error).toMatch(/^StartSyncBatch: failure \(attempt 1, .*code TRANSPORT_FAILED/m);
  expect(error).toMatch(
    /^Warning: StartSyncBatch: retrying: (?!StartSyncBatch).*UNAVAILABLE.* \(attempt 1, delayMs \d/m,
  );
  expect(error).toMatch(/^StartSyncBatch: success \(attempt 2/m);
  expect(error).toMatch(/durationMs \d+[,)]/);
  expect(error).not.toMatch(/Ms \d+\./);
  expect(error).toMatch(/^run started$/m);
});
