/** Extracts partitions of a staged run, from a source that answers in a while: as a process that `fork` has started. */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileLedger, fileStaging, SaasManagementClient } from "@saas-management/sdk";
import { freshAccounts } from "../fresh-accounts.js";

/** The run, and which of its partitions to extract, one after the other. */
export interface Extraction {
  readonly folder: string;
  /** All partitions of the run. */
  readonly partitions: readonly string[];
  /** Numbers of those to extract. */
  readonly own: readonly number[];
  readonly pages: number;
  readonly pageMs: number;
}

const PAGE = 500;

process.once("message", (extraction: Extraction) => void extract(extraction));

/** Tells when it is ready, and waits for the word to begin. */
async function extract({ folder, partitions, own, pages, pageMs }: Extraction): Promise<void> {
  const client = new SaasManagementClient({ syncUrl: "http://127.0.0.1:1", apiKey: "key" });
  const staged = await client.sync.stage(fileStaging(join(folder, "staging")), {
    runKey: "run",
    version: "1",
    partitions: { accounts: partitions },
    installationId: "installation",
    ledger: fileLedger(join(folder, "ledger")),
  });
  process.once("message", () => void begin());
  process.send?.("ready");

  async function begin(): Promise<void> {
    for (const number of own)
      await staged.extract("accounts", partitions[number] ?? "", read(number), {
        expectedCount: pages * PAGE,
      });
    await client.close();
    process.send?.("done", () => process.disconnect());
  }

  async function* read(number: number) {
    for (let page = 0; page < pages; page += 1) {
      await setTimeout(pageMs);
      yield freshAccounts((number * pages + page) * PAGE, PAGE);
    }
  }
}
