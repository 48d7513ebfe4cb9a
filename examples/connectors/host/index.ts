/**
 * The host connector: reads the machine that it runs on, without setup and without root. It supports macOS and systems
 * with `/etc/passwd`. Accounts of a directory service (LDAP, NIS) are not read.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { platform as currentPlatform } from "node:process";
import { promisify } from "node:util";
import { defineConnector, type RecordOf } from "@saas-management/sdk";
import { findActivity } from "./activity.js";
import { readDevice } from "./device.js";
import { parseDirectoryGroups, parseDirectoryUsers } from "./macos-directory.js";
import type { Parsed } from "./notes.js";
import { toAccount, toDevice, toGroup, toGroupMembers, toUsage, withUnnamedGroups } from "./records.js";
import { type HostGroup, type HostUser, parseGroup, parsePasswd } from "./user-database.js";

export interface HostOptions {
  /** Directory that replaces `/`, such as a mounted disk. Not on macOS. @default "/" */
  readonly root?: string;
  /** Time of the snapshot. @default now */
  readonly now?: Date;
}

export interface HostRecords {
  readonly accounts: readonly RecordOf<"accounts">[];
  readonly groups: readonly RecordOf<"groups">[];
  readonly groupMembers: readonly RecordOf<"groupMembers">[];
  readonly devices: readonly RecordOf<"devices">[];
  readonly usage: readonly RecordOf<"usage">[];
  /** What was skipped, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * The connector: writes what {@link readHost} reads.
 * @param onNote called with what was skipped, one sentence each
 */
export function hostConnector(options: HostOptions, onNote: (note: string) => void) {
  return defineConnector({
    snapshots: ["accounts", "groups", "groupMembers", "devices"],
    async run(batch) {
      const { accounts, groups, groupMembers, devices, usage, notes } = await readHost(options);
      await batch.write("accounts", accounts);
      await batch.write("groups", groups);
      await batch.write("groupMembers", groupMembers);
      await batch.write("devices", devices);
      await batch.write("usage", usage);
      for (const note of notes) onNote(note);
    },
  });
}

/**
 * Reads this machine: its accounts, groups and members, the machine as a device, and when each account was last used.
 *
 * @throws where the user database cannot be read at all: as a snapshot, an empty one would say that everybody is gone.
 */
export async function readHost({ root = "/", now = new Date() }: HostOptions = {}): Promise<HostRecords> {
  if (currentPlatform === "win32")
    throw new Error("The host connector reads Linux and macOS, but this is Windows.");
  const onMac = currentPlatform === "darwin";
  const { users, groups: named, notes } = onMac ? await macDatabase() : await fileDatabase(root);
  const groups = withUnnamedGroups(named, users);
  const device = await readDevice(currentPlatform, root);
  const activities = await findActivity(users, root);
  return {
    accounts: users.map((user) => toAccount(user, onMac ? 500 : 1000)),
    groups: groups.map(toGroup),
    groupMembers: toGroupMembers(groups, users),
    devices: [toDevice(device, now)],
    usage: activities.map((activity) => toUsage(activity, device)),
    notes: [...notes, ...strangers(groups, users)],
  };
}

interface UserDatabase {
  readonly users: readonly HostUser[];
  readonly groups: readonly HostGroup[];
  readonly notes: readonly string[];
}

async function fileDatabase(root: string): Promise<UserDatabase> {
  const users = parsePasswd(await readFile(join(root, "etc/passwd"), "utf8"));
  // Without the file, groups are shown by number.
  const groupText = await readFile(join(root, "etc/group"), "utf8").catch(() => undefined);
  if (groupText === undefined) {
    return {
      users: users.entries,
      groups: [],
      notes: [...users.notes, "/etc/group cannot be read, so groups have no names."],
    };
  }
  return database(users, parseGroup(groupText));
}

async function macDatabase(): Promise<UserDatabase> {
  const query = async (kind: string) => {
    // The directory of a large company exceeds the default of 1 MiB.
    const { stdout } = await promisify(execFile)("dscacheutil", ["-q", kind], { maxBuffer: 2 ** 28 });
    return stdout;
  };
  return database(parseDirectoryUsers(await query("user")), parseDirectoryGroups(await query("group")));
}

function database(users: Parsed<HostUser>, groups: Parsed<HostGroup>): UserDatabase {
  return { users: users.entries, groups: groups.entries, notes: [...users.notes, ...groups.notes] };
}

/** Notes members without an account: they belong to a directory service, or their accounts were deleted. */
function strangers(groups: readonly HostGroup[], users: readonly HostUser[]): string[] {
  const known = new Set(users.map(({ name }) => name));
  return groups.flatMap(({ at, members }) => {
    const count = members.filter((member) => !known.has(member)).length;
    return count === 0 ? [] : [`${at}: members who are not in the user database: ${count}.`];
  });
}
