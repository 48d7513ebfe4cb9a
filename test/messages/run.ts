import { createSyncClient } from "../../src/runs/engine.js";
import { describeHeld, heldMessage } from "../../src/runs/guard/held-report.js";
import { GuardedSnapshot } from "../../src/runs/guard/snapshot.js";
import { previewOf } from "../support/connector.js";

// Nobody listens on port 1, because a run that fails before sending anything calls no service.
const client = createSyncClient({ endpoint: "http://127.0.0.1:1", apiKey: "key-1", retry: false });
const SCOPE = { installationId: "installation-1", ledger: "ledger" };
const HELD = {
  snapshot: new GuardedSnapshot("accounts", undefined, undefined),
  isHeld: true,
  waiting: undefined,
  findings: [{ rule: "removed", text: "4 of 10 known ids would be removed (40%)" }],
  problem: undefined,
  limits: { removed: 2 },
  approvalProblem: undefined,
  figures: { baseline: "completed", known: 10, sent: 7, added: 1, kept: 6, removed: 4, duplicates: 0 },
  compared: {
    known: 10,
    sent: 7,
    new: 1,
    kept: 6,
    gone: 4,
    sets: [{ origin: "completed", known: 10, gone: 4 }],
    firstGone: ["u6"],
  },
} as const;

const APPROVAL = {
  approval: "approval-1",
  at: 0,
  expiresAt: 0,
  baselines: {},
  lists: [{ removals: "/ledger/accounts.removals.txt" }],
  isKnown: false,
};
const LICENSES = { ...HELD, snapshot: new GuardedSnapshot("licenses", undefined, undefined) };
const AGAIN = {
  ...APPROVAL,
  lists: [...APPROVAL.lists, { removals: "/ledger/licenses.removals.txt" }],
  isKnown: true,
};

const USUAL = { sent: [9, 10], removed: [0, 0.025], added: [0, 0.1] } as const;

export const messages = [
  {
    title: "a run that does not write a declared snapshot",
    provoke: () => previewOf(["accounts"], () => {}),
    text: "The run declares the snapshots accounts, but did not write accounts. Nothing was sent. Write an empty array if there are no records.",
  },
  {
    title: "a run that writes a snapshot page by page",
    provoke: () =>
      previewOf(["accounts"], async (batch) => {
        await batch.write("accounts", []);
        await batch.write("accounts", []);
      }),
    text: "accounts was already written in this run. Write a snapshot once, in full: use one source for all pages, or writer(), write() and end().",
  },
  {
    title: "an invalid record of a run",
    provoke: () =>
      client.run(
        { snapshots: ["accounts"], run: (batch) => batch.write("accounts", [{ id: "" }]) },
        { installationId: "installation-1", ledger: "none" },
      ),
    text: 'accounts[0] (id "") id: expected a string that is not empty, got an empty string. Nothing was sent. Correct the records first.',
  },
  {
    title: "a run that the guard holds",
    provoke: () => ({ message: heldMessage(describeHeld(SCOPE, [HELD], APPROVAL, () => USUAL)) }),
    text: 'Held: 4 of 10 accounts would be removed. Nothing was sent. accounts: 4 of 10 known ids would be removed (40%), such as "u6"; usually 0 to 2.5%; the limit is 2. Check the filter and the pages: a source that is cut off or filtered looks like this. If the source is wrong, fix it and run again: there is nothing to undo. The ids are listed in /ledger/accounts.removals.txt. If the change is right, run again with approve: "approval-1" before 1970-01-01T00:00:00.000Z.',
  },
  {
    title: "the text of a run that the guard holds",
    provoke: () => ({ message: String(describeHeld(SCOPE, [HELD, LICENSES], AGAIN, () => USUAL)) }),
    text: `Held: 4 of 10 accounts and 4 of 10 licenses would be removed. Nothing was sent.
accounts  9 10 → 7
- accounts: 4 of 10 known ids would be removed (40%), such as "u6"; usually 0 to 2.5%; the limit is 2
licenses  9 10 → 7
- licenses: 4 of 10 known ids would be removed (40%), such as "u6"; usually 0 to 2.5%; the limit is 2
Check the filter and the pages: a source that is cut off or filtered looks like this.
If the source is wrong, fix it and run again: there is nothing to undo.
A similar run was held at 1970-01-01T00:00:00.000Z. Its approval also covers this run, and the lists show the ids of that run.
The ids are listed in /ledger/accounts.removals.txt and licenses.removals.txt.
If the change is right, run again with approve: "approval-1" before 1970-01-01T00:00:00.000Z.`,
  },
  {
    title: "a run that the guard holds without a ledger",
    provoke: () => ({ message: heldMessage(describeHeld(SCOPE, [HELD], "no-ledger", () => ({ sent: [] }))) }),
    text: 'Held: 4 of 10 accounts would be removed. Nothing was sent. accounts: 4 of 10 known ids would be removed (40%), such as "u6"; the limit is 2. Check the filter and the pages: a source that is cut off or filtered looks like this. Removals can\'t be approved with ledger: "none". Run again when the source is complete, or use a ledger.',
  },
];
