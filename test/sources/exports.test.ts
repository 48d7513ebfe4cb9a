/** Exports exactly as real consoles write them. A map turns the rows into records. */
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { RecordOf } from "@saas-management/sdk";
import { fromCsv, type RecordLocation } from "@saas-management/sdk/sources";
import { expect, test } from "vitest";
import { testService } from "../support/test-service.js";

type Row = Readonly<Record<string, string>>;
type Options = Omit<Parameters<typeof fromCsv>[1], "map">;

const service = testService();

const FILES = new URL("exports/", import.meta.url);

/** A cell of a column that the file must have. */
function cell(row: Row, heading: string): string {
  const found = row[heading];
  if (found === undefined) throw new Error(`There is no column ${heading}.`);
  return found;
}

const oneOf =
  (words: Readonly<Record<string, boolean>>) =>
  (word: string, { location }: RecordLocation): boolean => {
    const value = Object.hasOwn(words, word) ? words[word] : undefined;
    if (value === undefined)
      throw new Error(`${location}: the word is none of ${Object.keys(words).join(", ")}.`);
    return value;
  };

/** What the service has after a run that sends the rows. */
async function sent<C extends "accounts" | "employees">(
  collection: C,
  input: string | Readable,
  options: Options,
  map: (row: Row, at: RecordLocation) => RecordOf<C> | undefined,
): Promise<readonly unknown[]> {
  const source = fromCsv(input, { ...options, map });
  await service.run([collection], (batch) => batch.write(collection, source));
  return service.inspect().snapshots[collection].map(({ record }) => record);
}

test("reads a German export: windows-1252, semicolons, sep=, commas in names, days first", async () => {
  const isActive = oneOf({ ja: true, nein: false });
  const path = fileURLToPath(new URL("benutzer.csv", FILES));
  const records = await sent("accounts", path, { encoding: "windows-1252" }, (row, at) => ({
    id: cell(row, "Benutzer-ID"),
    name: cell(row, "Anzeigename").split(", ").reverse().join(" "),
    email: cell(row, "E-Mail-Adresse").toLowerCase() || null,
    roles: [cell(row, "Rolle")],
    active: isActive(cell(row, "Aktiv"), at),
  }));
  expect(records).toEqual([
    {
      id: "1001",
      name: "Jörg Müller",
      email: "joerg.mueller@beispiel.example",
      roles: ["Administrator"],
      active: true,
    },
    {
      id: "1002",
      name: "Änne Groß",
      email: "aenne.gross@beispiel.example",
      roles: ["Mitglied"],
      active: false,
    },
    { id: "1003", name: 'Weiß "Ole" Olaf', roles: ["Gast"], active: true },
  ]);
});

/** fromCsv doesn't support this encoding, so the platform's decoder turns it into text. */
const decoded = async (name: string, encoding: string) =>
  Readable.from([new TextDecoder(encoding, { fatal: true }).decode(await readFile(new URL(name, FILES)))]);

test("reads a Japanese export: Shift_JIS, zeros in front of ids, line breaks in a cell", async () => {
  const isHere = oneOf({ 在籍: true, 休職: true, 退職: false });
  const input = await decoded("members.csv", "shift_jis");
  const records = await sent("employees", input, { name: "members.csv" }, (row, at) => ({
    id: cell(row, "社員番号"),
    fullName: cell(row, "氏名"),
    email: cell(row, "メールアドレス"),
    active: isHere(cell(row, "在籍状況"), at),
  }));
  expect(records).toMatchObject([
    { id: "00042", fullName: "山田 太郎", active: true },
    { id: "00107", fullName: "髙橋 花子", active: true },
    { id: "00311", fullName: "表 ソフィア", active: false },
  ]);
});

test("reads a Turkish export: windows-1254, dotted and dotless letters", async () => {
  const isActive = oneOf({ Aktif: true, Pasif: false });
  const input = await decoded("kullanicilar.csv", "windows-1254");
  const records = await sent("accounts", input, { name: "kullanicilar.csv", delimiter: ";" }, (row, at) => ({
    id: cell(row, "Kullanıcı Kimliği"),
    name: cell(row, "Adı Soyadı"),
    email: cell(row, "E-posta"),
    active: isActive(cell(row, "Durum"), at),
  }));
  expect(records).toMatchObject([
    { id: "7f3a-01", name: "Işıl Şahin", active: true },
    { id: "7f3a-02", name: "Çağrı Öztürk", active: false },
    { id: "7f3a-03", name: "İbrahim Güneş", active: true },
  ]);
});

test.each<[string, Options, string]>([
  ["Shift_JIS as UTF-8", {}, "members.csv"],
  ["windows-1254 as UTF-8", { delimiter: ";" }, "kullanicilar.csv"],
  ["windows-1252 as UTF-8", {}, "benutzer.csv"],
  ["windows-1252 as UTF-16", { encoding: "utf-16le" }, "benutzer.csv"],
])("refuses %s, and sends nothing", async (_, options, name) => {
  const path = fileURLToPath(new URL(name, FILES));
  const running = sent("accounts", path, options, (row) => ({ id: cell(row, "Benutzer-ID") }));
  await expect(running).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining(name),
  });
  expect(service.inspect().batches).toEqual([]);
});

const isActive = oneOf({
  ...{ True: true, False: false, Active: true, Suspended: false, ACTIVE: true, SUSPENDED: false },
  ...{ DEPROVISIONED: false, true: true, false: false, Deactivated: false, Pending: false },
});

test.each<
  [
    vendor: string,
    head: string,
    rows: string,
    (row: Row, at: RecordLocation) => RecordOf<"accounts">,
    expected: object[],
  ]
>([
  [
    "Okta: people",
    "login,firstName,lastName,email,status,lastLogin",
    "ada@x.example,Ada,Lovelace,ada@x.example,ACTIVE,2026-11-02T09:30:00.000Z\nbo@x.example,Bo,,bo@x.example,DEPROVISIONED,\n",
    (row, at) => ({
      id: cell(row, "login"),
      email: cell(row, "email"),
      active: isActive(cell(row, "status"), at),
    }),
    [
      { id: "ada@x.example", active: true },
      { id: "bo@x.example", active: false },
    ],
  ],
  [
    "Microsoft Entra ID: users",
    "\ufeffuserPrincipalName,displayName,mail,id,userType,accountEnabled,createdDateTime",
    'ada@x.example,Ada Lovelace,ada@x.example,0f5c-1,Member,True,2019-04-23T15:18:02Z\r\nbo_y.example#EXT#@x.example,"Bo, guest",,0f5c-2,Guest,False,\r\n',
    (row, at) => ({
      id: cell(row, "id"),
      type: cell(row, "userType"),
      active: isActive(cell(row, "accountEnabled"), at),
    }),
    [
      { id: "0f5c-1", type: "Member", active: true },
      { id: "0f5c-2", type: "Guest", active: false },
    ],
  ],
  [
    "Google Admin: users",
    "First Name [Required],Last Name [Required],Email Address [Required],Password [Required],Status [READ ONLY],Last Sign In [READ ONLY]",
    "Ada,Lovelace,ada@x.example,****,Active,2026/11/02 09:30:00\nBo,Berg,bo@x.example,****,Suspended,Never logged in\n",
    (row, at) => ({
      id: cell(row, "Email Address [Required]"),
      active: isActive(cell(row, "Status [READ ONLY]"), at),
    }),
    [
      { id: "ada@x.example", active: true },
      { id: "bo@x.example", active: false },
    ],
  ],
  [
    "Slack: members",
    "username,email,status,billing-active,has-2fa,has-sso,userid,fullname,displayname,expiration-timestamp",
    'ada,ada@x.example,Primary Owner,1,1,0,U01ADA,Ada Lovelace,ada :rocket:,\nbot,,Bot,0,0,0,U02BOT,"Deploy, bot",,\nbo,bo@x.example,Deactivated,0,0,0,U03BO,Bo,,\n',
    (row) => ({
      id: cell(row, "userid"),
      type: cell(row, "status"),
      active: cell(row, "status") !== "Deactivated",
    }),
    [
      { id: "U01ADA", active: true },
      { id: "U02BOT", type: "Bot" },
      { id: "U03BO", active: false },
    ],
  ],
  [
    "GitHub: dormant users of an enterprise",
    "created_at,id,login,role,suspended?,last_logged_ip,dormant?,last_active,2fa_enabled?",
    "2019-04-23 15:18:02 -0700,1024,ada,admin,false,192.0.2.1,false,2026-11-02 09:30:00 -0700,true\n2020-01-01 00:00:00 -0800,2048,bo,user,true,,true,,false\n",
    (row, at) => ({
      id: cell(row, "id"),
      username: cell(row, "login"),
      active: !isActive(cell(row, "suspended?"), at),
    }),
    [
      { id: "1024", username: "ada", active: true },
      { id: "2048", active: false },
    ],
  ],
  [
    "Adobe Admin Console: users",
    "Identity Type,Username,Domain,Email,First Name,Last Name,Country Code,Product Configurations,Admin Roles",
    'Federated ID,ada@x.example,x.example,Ada@X.example,Ada,Lovelace,DE,"Default Creative Cloud,Acrobat Pro",System Administrator\nBusiness ID,,,bo@y.example,Bo,,,"",\n',
    (row) => ({
      id: cell(row, "Email").toLowerCase(),
      type: cell(row, "Identity Type"),
      roles: cell(row, "Product Configurations")
        .split(",")
        .filter((name) => name !== ""),
    }),
    [{ id: "ada@x.example", roles: ["Default Creative Cloud", "Acrobat Pro"] }, { id: "bo@y.example" }],
  ],
  [
    "Salesforce: users of the data loader",
    '"ID","USERNAME","LASTNAME","EMAIL","ISACTIVE","USERTYPE","LASTLOGINDATE"',
    '"0055e000001AdaAAA","ada@x.example.crm","Lovelace","ada@x.example","true","Standard","2026-11-02T09:30:00.000Z"\n"0055e000001BoBBB","bo@x.example.crm","O""Brien","bo@x.example","false","PowerPartner",""\n',
    (row, at) => ({
      id: cell(row, "ID"),
      name: cell(row, "LASTNAME"),
      active: isActive(cell(row, "ISACTIVE"), at),
    }),
    [
      { id: "0055e000001AdaAAA", active: true },
      { id: "0055e000001BoBBB", name: 'O"Brien', active: false },
    ],
  ],
  [
    "Zoom: users",
    "Email,First Name,Last Name,Department,User Type,Last Login (UTC),Last Client Version",
    "ada@x.example,Ada,Lovelace,R&D,Licensed,2026-11-02 09:30:00,6.2.5\nbo@x.example,Bo,,,Basic,,\n",
    (row) => ({ id: cell(row, "Email"), type: cell(row, "User Type") }),
    [
      { id: "ada@x.example", type: "Licensed" },
      { id: "bo@x.example", type: "Basic" },
    ],
  ],
  [
    "Jira: users of a site",
    "User id,User name,email,User status,Added to org,Org role,Last seen in Jira - x",
    '5b10ac8d82e05b22cc7d4ef5,Ada Lovelace,ada@x.example,Active,23 Apr 2019,Organization admin,02 Nov 2026\n712020:0a1b,"Berg, Bo",bo@x.example,Suspended,01 Jan 2024,User,Never accessed\n',
    (row, at) => ({
      id: cell(row, "User id"),
      name: cell(row, "User name"),
      active: isActive(cell(row, "User status"), at),
    }),
    [
      { id: "5b10ac8d82e05b22cc7d4ef5", active: true },
      { id: "712020:0a1b", name: "Berg, Bo", active: false },
    ],
  ],
])("%s", async (vendor, head, rows, map, expected) => {
  const name = `${vendor}.csv`;
  const input = () => Readable.from([`${head}\n${rows}`]);
  expect(await sent("accounts", input(), { name }, map)).toMatchObject(expected);
  // The vendor renames all columns, or translates them.
  const renamed = Readable.from([`${head.replaceAll(/\w+/g, (word) => `${word}_2`)}\n${rows}`]);
  await expect(sent("accounts", renamed, { name }, map)).rejects.toThrow("There is no column");
  expect(service.states()).toEqual(["completed"]);
});

test("Jamf Pro: computers", async () => {
  const rows =
    'Computer Name,Serial Number,Operating System Version,Model,Username,Last Check-in,"Jamf Pro Computer ID"\r\n' +
    'ada-mbp,C02XL0,15.1,"MacBook Pro (14-inch, 2023)",ada,2026-11-02 09:30:00,17\r\nAda’s iMac,,12.7.6,,,,18\r\n';
  const records = await sent("accounts", Readable.from([rows]), { name: "computers.csv" }, (row) => ({
    id: cell(row, "Jamf Pro Computer ID"),
    name: cell(row, "Computer Name"),
    username: cell(row, "Username") || null,
  }));
  expect(records).toEqual([
    { id: "17", name: "ada-mbp", username: "ada" },
    { id: "18", name: "Ada’s iMac" },
  ]);
});
