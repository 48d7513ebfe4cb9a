import { chmod, chown, readFile, rename, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { accounts, heldBy, ids, testService } from "../support/test-service.js";

const service = testService();
const COMPLETED = /accounts\..+\.ids$/;
const isRoot = process.geteuid?.() === 0;
const hasModes = process.geteuid !== undefined;
/** A user other than root and the current user. */
const STRANGER = 54_321;
const EVERYONE_MAY_WRITE = 0o777;

/** A run that would remove nearly everything is held. */
async function expectRefused(): Promise<void> {
  await expect(service.runAccounts(ids(1))).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  expect(service.present()).toEqual(ids(10));
}

const folderOf = async () => dirname(await service.file(COMPLETED));

test.runIf(hasModes)("refuses a ledger that everyone may write to, even in a preview", async () => {
  await service.runAccounts(ids(10));
  await chmod(await folderOf(), EVERYONE_MAY_WRITE);
  await expectRefused();
  const { installationId, sync } = service;
  const preview = sync.preview(
    { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts(1)) },
    { installationId, ledger: fileLedger(service.directory) },
  );
  await expect(preview).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
});

test.runIf(hasModes)(
  "accepts a ledger that a group may write to, as is common for container volumes",
  async () => {
    await service.runAccounts(ids(10));
    await chmod(await folderOf(), 0o2770);
    const error = await heldBy(service.runAccounts(ids(1)));
    expect(error.reasons[0]).toMatchObject({ known: 10, removed: 9 });
  },
);

test.runIf(isRoot)("refuses a ledger that belongs to another user", async () => {
  await service.runAccounts(ids(10));
  await chown(await folderOf(), STRANGER, STRANGER);
  await expectRefused();
});

test.each([/\.ids$/, /state\.00000002$/, /\.removals\.txt$/])(
  "neither reads nor writes through a link that replaces %s",
  async (name) => {
    await service.runAccounts(ids(10));
    await heldBy(service.runAccounts(ids(1)));
    const target = join(service.directory, "target");
    const path = await service.file(name);
    await rename(path, target);
    await symlink(target, path);
    const before = await readFile(target);
    const error = await heldBy(service.runAccounts(ids(1)));
    await service.runAccounts(ids(1), { approve: error.approvalId }).catch(() => {});
    expect(await readFile(target)).toEqual(before);
  },
);
