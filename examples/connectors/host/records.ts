import type { RecordOf } from "@saas-management/sdk";
import { attributes } from "../fields.js";
import type { Activity } from "./activity.js";
import type { HostDevice } from "./device.js";
import type { HostGroup, HostUser } from "./user-database.js";

/** Shells that reject logins. */
const NO_LOGIN = /\/(nologin|false)$/;

/** The id is the name, which is unique and which groups refer to. Accounts may share a uid. */
export function toAccount(user: HostUser, firstPersonalUid: number): RecordOf<"accounts"> {
  return {
    id: user.name,
    name: fullName(user),
    username: user.name,
    active: !NO_LOGIN.test(user.shell),
    roles: user.uid === 0 ? ["superuser"] : undefined,
    type: user.uid >= firstPersonalUid && !NOBODY.includes(user.uid) ? "personal" : "system",
  };
}

/** Uids of "nobody": -2 in 16 and in 32 bits. */
const NOBODY = [65_534, 4_294_967_294];

/** The GECOS field up to the first comma. `&` stands for the account name. */
function fullName({ gecos, name }: HostUser): string | undefined {
  const [written = ""] = gecos.split(",");
  return written.trim().replaceAll("&", name.charAt(0).toUpperCase() + name.slice(1)) || undefined;
}

/** Adds a group `#1234` for each gid that only accounts have. */
export function withUnnamedGroups(groups: readonly HostGroup[], users: readonly HostUser[]): HostGroup[] {
  const known = new Set(groups.map(({ gid }) => gid));
  const unnamed = new Map<number, HostGroup>();
  for (const { gid, at } of users) {
    if (!known.has(gid)) unnamed.set(gid, { name: `#${gid}`, gid, members: [], at });
  }
  return [...groups, ...unnamed.values()];
}

export function toGroup({ name, gid }: HostGroup): RecordOf<"groups"> {
  return { id: name, name, attributes: { gid: String(gid) } };
}

/** Members are listed in the group, or have it as their primary group. */
export function toGroupMembers(
  groups: readonly HostGroup[],
  users: readonly HostUser[],
): RecordOf<"groupMembers">[] {
  const byPrimaryGroup = new Map<number, string[]>();
  for (const { gid, name } of users) {
    byPrimaryGroup.set(gid, [...(byPrimaryGroup.get(gid) ?? []), name]);
  }
  return groups.flatMap(({ name, gid, members }) => {
    const primary = new Set(byPrimaryGroup.get(gid));
    return [...new Set([...primary, ...members])].map((member) => ({
      // Neither name can contain a colon, which separates the fields of the databases.
      id: `${name}:${member}`,
      sourceGroupId: name,
      sourceMemberId: member,
      role: primary.has(member) ? "primary" : "supplementary",
    }));
  });
}

export function toDevice(device: HostDevice, lastSeen: Date): RecordOf<"devices"> {
  const { kernel, architecture, ...fields } = device;
  return { ...fields, lastSeen, attributes: attributes({ kernel, architecture }) };
}

/** The id contains the evidence and its time, so the same trace read again is the same event. */
export function toUsage({ user, evidence, time }: Activity, device: HostDevice): RecordOf<"usage"> {
  return {
    id: `${device.id}:${user.name}:${evidence}:${time.getTime()}`,
    sourceActorId: user.name,
    externalProductName: device.operatingSystem,
    lastActivity: time,
  };
}
