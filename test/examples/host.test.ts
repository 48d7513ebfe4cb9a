import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getuid, platform } from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type HostRecords, readHost } from "../../examples/connectors/host/index.js";

const NOW = new Date("2026-11-21T12:00:00Z");
const onFiles = platform !== "darwin" && platform !== "win32";
const me = getuid?.() ?? 0;

describe.runIf(onFiles)("a host", () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "host-test-"));
  });
  afterEach(async () => {
    await rm(root, { recursive: true });
  });

  async function put(path: string, content: string, time?: Date): Promise<void> {
    const full = join(root, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, content);
    if (time !== undefined) await utimes(full, time, time);
  }

  async function read(passwd: string, group = ""): Promise<HostRecords> {
    await put("etc/passwd", passwd);
    await put("etc/group", group);
    return readHost({ root, now: NOW });
  }

  test("reads accounts, whose ids are their names", async () => {
    const { accounts } = await read(
      `${[
        "root:x:0:0:root:/root:/bin/bash",
        "www-data:x:33:33:& server,,,:/var/www:/usr/sbin/nologin",
        "zoe:x:1000:1000:Zoë O'Brien,Room 3,,:/home/zoe:/bin/zsh",
        "old:x:1001:1001::/home/old:/bin/false",
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
        "big:x:70001:70001::/home/big:/bin/sh",
      ].join("\n")}\n`,
    );
    expect(accounts).toEqual([
      { id: "root", name: "root", username: "root", active: true, roles: ["superuser"], type: "system" },
      { id: "www-data", name: "Www-data server", username: "www-data", active: false, type: "system" },
      { id: "zoe", name: "Zoë O'Brien", username: "zoe", active: true, type: "personal" },
      { id: "old", username: "old", active: false, type: "personal" },
      { id: "nobody", name: "nobody", username: "nobody", active: false, type: "system" },
      { id: "big", username: "big", active: true, type: "personal" },
    ]);
  });

  test("reads groups and their members, primary groups included, without repeats", async () => {
    const { groups, groupMembers, notes } = await read(
      "zoe:x:1000:100::/home/zoe:/bin/sh\nbob:x:1001:100::/home/bob:/bin/sh\n",
      "users:x:100:zoe\nsudo:x:27:zoe,bob,zoe\nempty:x:5:\n",
    );
    expect(groups).toEqual([
      { id: "users", name: "users", attributes: { gid: "100" } },
      { id: "sudo", name: "sudo", attributes: { gid: "27" } },
      { id: "empty", name: "empty", attributes: { gid: "5" } },
    ]);
    expect(groupMembers).toEqual([
      { id: "users:zoe", sourceGroupId: "users", sourceMemberId: "zoe", role: "primary" },
      { id: "users:bob", sourceGroupId: "users", sourceMemberId: "bob", role: "primary" },
      { id: "sudo:zoe", sourceGroupId: "sudo", sourceMemberId: "zoe", role: "supplementary" },
      { id: "sudo:bob", sourceGroupId: "sudo", sourceMemberId: "bob", role: "supplementary" },
    ]);
    expect(notes).toEqual([]);
  });

  test("keeps members without an account, and notes them", async () => {
    const { groupMembers, notes } = await read(
      "zoe:x:1000:100::/:/bin/sh\n",
      "docker:x:990:zoe,ghost,phantom\n",
    );
    expect(groupMembers.map((record) => record.sourceMemberId)).toEqual(["zoe", "ghost", "phantom", "zoe"]);
    expect(notes).toEqual(["/etc/group: line 1: members who are not in the user database: 2."]);
  });

  test("notes the lines that it skips", async () => {
    const { accounts, groups, notes } = await read(
      "zoe:x:1000:100::/:/bin/sh\n+@staff::::::\nbroken\n",
      "users:x:100:\n+:::\nstaff:x:50\nstaff:x:x:bob\nusers:x:51:zoe\nodd:x:101:zoe, ,,\n",
    );
    expect(accounts).toHaveLength(1);
    expect(groups.map(({ id }) => id)).toEqual(["users", "odd"]);
    expect(notes).toEqual([
      "/etc/passwd: line 2 refers to a directory service (NIS) and was skipped.",
      "/etc/passwd: line 3 has 1 fields instead of 7 and was skipped.",
      "/etc/group: line 2 refers to a directory service (NIS) and was skipped.",
      "/etc/group: line 3 has 3 fields instead of 4 and was skipped.",
      "/etc/group: line 4 lacks a name or a numeric id and was skipped.",
      "/etc/group: line 5 repeats the name of an earlier entry and was skipped.",
    ]);
  });

  test("shows groups by number if there is no group database, and notes it", async () => {
    await put("etc/passwd", "zoe:x:1000:100::/:/bin/sh\n");
    const { groups, notes } = await readHost({ root, now: NOW });
    expect(groups.map((record) => record.id)).toEqual(["#100"]);
    expect(notes).toEqual(["/etc/group cannot be read, so groups have no names."]);
  });

  test("rejects a host without a user database, because an empty snapshot would remove everybody", async () => {
    await expect(readHost({ root })).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("takes a change of an owned home and of the mail spool as usage", async () => {
    await put("home/zoe/notes.txt", "");
    await utimes(join(root, "home/zoe"), NOW, new Date("2026-11-20T08:00:00Z"));
    await put("var/spool/mail/zoe", "", new Date("2026-11-19T08:00:00Z"));
    const { usage } = await read(
      `zoe:x:${me}:100::/home/zoe:/bin/sh\nother:x:${me + 1}:100::/home/zoe:/bin/sh\n`,
    );
    expect(usage.map((record) => [record.sourceActorId, record.lastActivity])).toEqual([
      ["zoe", new Date("2026-11-20T08:00:00Z")],
      ["zoe", new Date("2026-11-19T08:00:00Z")],
    ]);
  });

  test("reads only files in the mail spool, whatever the account is called", async () => {
    await put("var/mail/.keep", "");
    await put("var/secret", "");
    const { usage } = await read("../secret:x:1:1::/nowhere:/bin/sh\n..:x:2:2::/nowhere:/bin/sh\n");
    expect(usage).toEqual([]);
  });

  test("repeats the id of an event until there is newer evidence", async () => {
    const passwd = `zoe:x:${me}:100::/home/zoe:/bin/sh\n`;
    const eventIds = async () => (await read(passwd)).usage.map((record) => record.id);
    await put("home/zoe/a", "");
    await utimes(join(root, "home/zoe"), NOW, new Date("2026-11-01T08:00:00Z"));
    const first = await eventIds();
    expect(await eventIds()).toEqual(first);
    await utimes(join(root, "home/zoe"), NOW, new Date("2026-11-02T08:00:00Z"));
    expect(await eventIds()).not.toEqual(first);
  });

  test("reads the device with an id that does not reveal the machine id", async () => {
    await put("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
    await put("etc/os-release", 'NAME="Example Linux"\nVERSION_ID=7\n');
    await put("sys/class/dmi/id/product_name", "Model 9 \n");
    await put("sys/class/dmi/id/sys_vendor", "\n");
    const { devices } = await read("");
    expect(devices).toHaveLength(1);
    const device = devices[0];
    expect(device).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: expect.any(String),
      model: "Model 9",
      operatingSystem: "Example Linux",
      operatingSystemVersion: "7",
      lastSeen: NOW,
    });
    expect(device?.manufacturer).toBeUndefined();
    expect(device?.id).not.toContain("0123456789");
  });

  test("names a device without a machine id by its host name", async () => {
    await put("etc/machine-id", "uninitialized\n");
    const { devices } = await read("");
    expect(devices[0]?.id).toBe(devices[0]?.name);
  });
});

describe.skipIf(platform === "win32")("this machine", async () => {
  const host = await readHost();

  test("reads the superuser of this machine, who belongs to a group", () => {
    const superusers = host.accounts.filter((record) => record.roles?.includes("superuser"));
    expect(superusers.length).toBeGreaterThan(0);
    const members = host.groupMembers.filter((record) => record.role === "primary");
    expect(members.map((record) => record.sourceMemberId)).toEqual(
      expect.arrayContaining(superusers.map((record) => record.id)),
    );
  });

  test("reads unique ids from this machine, and memberships of its own groups", () => {
    const { accounts, groups, groupMembers, devices, usage } = host;
    for (const records of [accounts, groups, groupMembers, devices, usage]) {
      const ids = records.map((record) => record.id);
      expect(new Set(ids).size).toBe(ids.length);
    }
    const groupIds = new Set(groups.map((record) => record.id));
    expect(groupMembers.filter((record) => !groupIds.has(record.sourceGroupId))).toEqual([]);
  });
});
