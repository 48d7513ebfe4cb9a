import { truncate } from "node:fs/promises";
import { arch, endianness } from "node:os";

import { describe, expect, test } from "vitest";
import { parseOsRelease, parsePlatformExpert } from "../../examples/connectors/host/device.js";
import { parseLoginTime, readLoginTimes } from "../../examples/connectors/host/lastlog.js";
import { parseDirectoryGroups, parseDirectoryUsers } from "../../examples/connectors/host/macos-directory.js";
import { parsePasswd } from "../../examples/connectors/host/user-database.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("the user database of Linux", () => {
  test("accepts comments, empty lines, and a missing line end, full name and shell", () => {
    const { entries, notes } = parsePasswd("# made by hand\n\n   \nsvc:*:42:42::/:");
    expect(entries).toMatchObject([
      { name: "svc", uid: 42, gecos: "", shell: "", at: "/etc/passwd: line 4" },
    ]);
    expect(notes).toEqual([]);
  });

  test.each([
    ["+", "refers to a directory service (NIS) and was skipped."],
    ["+@staff::::::", "refers to a directory service (NIS) and was skipped."],
    ["-mallory::::::", "refers to a directory service (NIS) and was skipped."],
    ["eve:x:1001:1001:Eve", "has 5 fields instead of 7 and was skipped."],
    ["eve:x:1001:1001:Eve: the first:/home/eve:/bin/sh", "has 8 fields instead of 7 and was skipped."],
    ["just words", "has 1 fields instead of 7 and was skipped."],
    [":x:1001:1001::/:/bin/sh", "lacks a name or a numeric id and was skipped."],
    ["eve:x:zero:1001::/:/bin/sh", "lacks a name or a numeric id and was skipped."],
    ["eve:x::1001::/:/bin/sh", "lacks a name or a numeric id and was skipped."],
    ["eve:x:1001:0x3e9::/:/bin/sh", "lacks a name or a numeric id and was skipped."],
    ["eve:x:4294967296:1001::/:/bin/sh", "lacks a name or a numeric id and was skipped."],
    ["eve:x:1 001:1001::/:/bin/sh", "lacks a name or a numeric id and was skipped."],
    ["bob:x:1002:1002::/:/bin/sh", "repeats the name of an earlier entry and was skipped."],
  ])("skips %j and notes it without the content", (line, problem) => {
    const text = `bob:x:1000:1000:Bob:/home/bob:/bin/sh\n${line}\nann:x:1003:1003:Ann:/home/ann:/bin/sh\n`;
    const { entries, notes } = parsePasswd(text);
    expect(entries.map(({ name, uid }) => [name, uid])).toEqual([
      ["bob", 1000],
      ["ann", 1003],
    ]);
    expect(notes).toEqual([`/etc/passwd: line 2 ${problem}`]);
  });
});

describe("the directory of macOS", () => {
  const users = `name: nobody
password: *
uid: -2
gid: -2
dir: /var/empty
shell: /usr/bin/false
gecos: Unprivileged User

name: zoe
password: ********
uid: 501
gid: 20
dir: /Users/zoe
shell: /bin/zsh
gecos: Zoë: the "first" O'Brien

`;

  test("parses the accounts of macOS, whose ids may be negative", () => {
    const { entries, notes } = parseDirectoryUsers(users);
    expect(entries).toMatchObject([
      {
        name: "nobody",
        uid: -2,
        gid: -2,
        home: "/var/empty",
        shell: "/usr/bin/false",
        gecos: "Unprivileged User",
      },
      {
        name: "zoe",
        uid: 501,
        gid: 20,
        home: "/Users/zoe",
        shell: "/bin/zsh",
        gecos: 'Zoë: the "first" O\'Brien',
      },
    ]);
    expect(notes).toEqual([]);
  });

  test("parses the groups of macOS, with or without members", () => {
    const groups =
      "name: admin\npassword: *\ngid: 80\nusers: root zoe \n\nname: wheel\npassword: *\ngid: 0\n";
    expect(parseDirectoryGroups(groups)).toEqual({
      entries: [
        { name: "admin", gid: 80, members: ["root", "zoe"], at: "dscacheutil -q group: entry 1" },
        { name: "wheel", gid: 0, members: [], at: "dscacheutil -q group: entry 2" },
      ],
      notes: [],
    });
  });

  test("parses a Mac's id and serial number", () => {
    const registry =
      '    "IOPlatformSerialNumber" = "C02ABC"\n    "IOPlatformUUID" = "0000-11"\n    "clock" = <00>\n';
    expect(parsePlatformExpert(registry)).toEqual({ uuid: "0000-11", serialNumber: "C02ABC" });
    expect(parsePlatformExpert("")).toEqual({ uuid: undefined, serialNumber: undefined });
  });
});

describe("os-release", () => {
  test.each([
    ['NAME="Debian GNU/Linux"\nVERSION_ID="12"\n', "Debian GNU/Linux", "12"],
    ["NAME=Fedora\nVERSION_ID=41", "Fedora", "41"],
    ["# comment\nNAME='Single \"quotes\"'\n\n  VERSION_ID=3.20.1  \n", 'Single "quotes"', "3.20.1"],
    ['NAME="A \\"rolling\\" \\$ystem"\nBUILD_ID=rolling\n', 'A "rolling" $ystem', undefined],
    ["nonsense\nname=lower\n", undefined, undefined],
  ])("parses the system and its version from os-release %j", (text, name, version) => {
    const values = parseOsRelease(text);
    expect([values.get("NAME"), values.get("VERSION_ID")]).toEqual([name, version]);
  });
});

describe("the login record", () => {
  const folder = temporaryFolder();
  const timeBytes = ["arm64", "riscv64", "loong64"].includes(arch()) ? 8 : 4;
  const recordBytes = timeBytes + 288;

  function lastlog(logins: Readonly<Record<number, number>>, records: number): Buffer {
    const file = Buffer.alloc(records * recordBytes);
    for (const [uid, seconds] of Object.entries(logins)) {
      const at = Number(uid) * recordBytes;
      if (timeBytes === 4)
        endianness() === "LE" ? file.writeInt32LE(seconds, at) : file.writeInt32BE(seconds, at);
      else
        endianness() === "LE"
          ? file.writeBigInt64LE(BigInt(seconds), at)
          : file.writeBigInt64BE(BigInt(seconds), at);
      file.write("pts/0", at + timeBytes);
    }
    return file;
  }

  test.each([
    ["four bytes, little end first", Buffer.from("0028e96a", "hex"), "LE"],
    ["four bytes, big end first", Buffer.from("6ae92800", "hex"), "BE"],
    ["eight bytes, little end first", Buffer.from("0028e96a00000000", "hex"), "LE"],
    ["eight bytes, big end first", Buffer.from("000000006ae92800", "hex"), "BE"],
  ] as const)("parses the time of a login from %s", (_, time, order) => {
    expect(parseLoginTime(time, order)).toEqual(new Date(0x6ae92800 * 1000));
  });

  test("finds a login at the position of each uid, and nowhere else", async () => {
    const path = await folder.write("lastlog", lastlog({ 0: 1_700_000_000, 7: 1_750_000_000 }, 8));
    const times = await readLoginTimes(path, [0, 3, 7, 7, 8, 65_534, 4_294_967_294, -2]);
    expect([...times]).toEqual([
      [0, new Date(1_700_000_000_000)],
      [7, new Date(1_750_000_000_000)],
    ]);
  });

  test("finds a login in a sparse file that appears to be a terabyte long", async () => {
    const path = await folder.write("sparse", lastlog({ 1: 1_700_000_000 }, 2));
    await truncate(path, recordBytes * 4_000_000_000).catch(() => truncate(path, recordBytes * 1_000_000));
    expect([...(await readLoginTimes(path, [1, 999_999]))]).toEqual([[1, new Date(1_700_000_000_000)]]);
  });
});
