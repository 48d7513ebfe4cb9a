import { createHash } from "node:crypto";
import { chmod, chown, mkdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { fileLedger, previewSync } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { heldBy, ids, records, useSafetyHarness } from "../support/safety-harness.js";

const harness = useSafetyHarness();
const COMPLETED = /accounts\.completed\.gz$/;
const isRoot = process.geteuid?.() === 0;
const hasModes = process.geteuid !== undefined;
/** A user that is neither this one nor root. */
const STRANGER = 54_321;
const ANYBODY_MAY_WRITE = 0o777;

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A run that would remove nearly everything: it must not pass, and nothing must be removed. */
async function expectHeld(why: string): Promise<void> {
  const outcome = await harness.accounts(ids(1)).catch((error: unknown) => error);
  expect(String(outcome)).toContain(why);
  expect(harness.present()).toEqual(ids(10));
}

describe("another user of the machine who wants removals to pass", () => {
  it.runIf(hasModes)("cannot do it where everybody may write the folder of an installation", async () => {
    await harness.accounts(ids(10));
    const folder = dirname(await harness.file(COMPLETED));
    await chmod(folder, ANYBODY_MAY_WRITE);
    await expectHeld(`${folder} can be written by everybody`);
  });

  it.runIf(hasModes)("cannot do it where everybody may write the folder of the ledger", async () => {
    await harness.accounts(ids(10));
    await chmod(harness.directory, ANYBODY_MAY_WRITE);
    await expectHeld("can be written by everybody");
    // As in /tmp, where nobody removes or renames what is another's.
    await chmod(harness.directory, 0o1777);
    expect((await heldBy(harness.accounts(ids(1)))).collections[0]).toMatchObject({ known: 10, removed: 9 });
  });

  it.runIf(hasModes)("cannot make a preview say that nothing would be removed", async () => {
    await harness.accounts(ids(10));
    const preview = async () => {
      const { syncUrl: endpoint, installationId } = harness.server;
      const ledger = fileLedger(harness.directory);
      const scope = { ledger, endpoint, installationId, snapshots: ["accounts"] as const };
      const { collections } = await previewSync(scope, async (batch) => {
        await batch.write("accounts", records(ids(1)));
      });
      return collections.accounts?.changes;
    };
    expect(await preview()).toMatchObject({ baseline: "ledger", removed: 9 });
    await chmod(dirname(await harness.file(COMPLETED)), ANYBODY_MAY_WRITE);
    expect(await preview()).toMatchObject({ baseline: "unreadable" });
  });

  it.runIf(hasModes)("cannot do it through a file that everybody may write", async () => {
    await harness.accounts(ids(10));
    const path = await harness.file(COMPLETED);
    await chmod(path, 0o666);
    await expectHeld(`${path} can be written by everybody`);
  });

  it.runIf(isRoot)("cannot do it by a file or a folder of their own", async () => {
    await harness.accounts(ids(10));
    const path = await harness.file(COMPLETED);
    for (const own of [path, dirname(path), harness.directory]) {
      await chown(own, STRANGER, STRANGER);
      await expectHeld(`${own} belongs to another user`);
      await chown(own, 0, 0);
    }
    expect((await heldBy(harness.accounts(ids(1)))).collections[0]).toMatchObject({ known: 10, removed: 9 });
  });

  it.runIf(isRoot)("cannot have a batch aborted by an entry of the journal of their own", async () => {
    const { server, client, directory } = harness;
    const { installationId } = server;
    const batch = await client.startBatch({ installationId });
    const endpoint = new URL(server.syncUrl).origin;
    const content = JSON.stringify({ endpoint, installationId, batchId: batch.id });
    const entry = join(directory, "journal", `${sha256(JSON.stringify([endpoint, batch.id]))}.json`);
    await mkdir(dirname(entry), { mode: 0o700 });
    await writeFile(entry, JSON.stringify({ version: 1, checksum: sha256(content), content }), {
      mode: 0o600,
    });
    await chown(entry, STRANGER, STRANGER);
    await expect(harness.accounts(ids(1))).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
    // What the connector itself had written down would be believed.
    await chown(entry, 0, 0);
    await harness.accounts(ids(1));
    await expect(batch.complete()).rejects.toMatchObject({ reason: "aborted" });
  });
});

describe("a link in the folder of a ledger is not followed:", () => {
  it.each(["accounts.removals.txt", "accounts.completed.gz"])(
    "in the place of %s, which is replaced",
    async (name) => {
      await harness.accounts(ids(10));
      const folder = dirname(await harness.file(COMPLETED));
      const target = join(harness.directory, "target");
      await writeFile(target, "untouched");
      if (name.startsWith("accounts.completed")) await rename(join(folder, name), join(folder, "elsewhere"));
      await symlink(target, join(folder, name));
      const error = await heldBy(harness.accounts(ids(1)));
      await harness.accounts(ids(10), { approveRemovals: error.approvalId }).catch(() => {});
      expect(await readFile(target, "utf8")).toBe("untouched");
    },
  );

  it("in the place of the journal: the run goes on without one", async () => {
    const target = join(harness.directory, "target");
    await mkdir(target);
    await symlink(target, join(harness.directory, "journal"));
    await harness.accounts(ids(10));
    expect(harness.present()).toEqual(ids(10));
    expect((await stat(target)).nlink).toBe(2);
  });
});

it("a file of the ledger that is small and unpacks to one endless line is not collected", async () => {
  await harness.accounts(ids(10));
  await writeFile(await harness.file(COMPLETED), gzipSync(Buffer.alloc(100 * 1024 * 1024, "a")), {
    mode: 0o600,
  });
  await expectHeld("a line is longer than any id");
});
