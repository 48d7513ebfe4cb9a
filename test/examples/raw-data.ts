import { readFileSync } from "node:fs";

/** Folder of the committed CSV files. */
export const DATA = new URL("../../examples/data/", import.meta.url);

/** A row by its headings. */
export type RawRow = Readonly<Record<string, string>>;

/** The rows of a committed file, read in another and simpler way than the connector does. */
export function rawRows(name: string, delimiter = ",", titleRows = 0): RawRow[] {
  const text = readFileSync(new URL(`${name}.csv`, DATA), "utf8").replace(/^\uFEFF/, "");
  const [heading = [], ...rows] = cells(text, delimiter).slice(titleRows);
  return rows.map((row) => Object.fromEntries(heading.map((column, index) => [column, row[index] ?? ""])));
}

/** Splits a text at delimiters and line ends that have an even number of quotes before them. */
function cells(text: string, delimiter: string): string[][] {
  const rows: string[][] = [[""]];
  let quoted = false;
  for (const character of text.replaceAll("\r\n", "\n")) {
    const row = rows.at(-1) ?? [];
    if (character === '"') quoted = !quoted;
    if (!quoted && character === "\n") rows.push([""]);
    else if (!quoted && character === delimiter) row.push("");
    else row[row.length - 1] += character;
  }
  return rows
    .slice(0, -1)
    .map((row) => row.map((cell) => cell.replace(/^"(.*)"$/s, "$1").replaceAll('""', '"')));
}

/** What is true of one vendor's data, counted in the raw files. */
export interface VendorFacts {
  readonly vendor: string;
  readonly users: number;
  /** Users whose address no employee has. */
  readonly externals: number;
  /** Users whose address is written in another case than in the HR export. */
  readonly otherCase: number;
  readonly licenses: number;
  /** Licenses of people who have left the company. */
  readonly leaverLicenses: number;
  /** Licenses that refer to an account that the user list does not have. */
  readonly danglingLicenses: number;
  readonly plans: readonly PlanFacts[];
}

/** What is true of one plan. Used means: in the log within the 30 days before its newest day. */
export interface PlanFacts {
  readonly name: string;
  readonly paid: number | undefined;
  readonly consumed: number;
  readonly licenses: number;
  readonly used: number;
  readonly unused: number;
}

interface Tables {
  readonly vendor: string;
  readonly users: readonly { readonly id: string; readonly email: string }[];
  readonly seats: readonly { readonly user: string; readonly plan: string }[];
  readonly plans: readonly {
    readonly id: string;
    readonly name: string;
    readonly product: string;
    readonly paid: string;
    readonly consumed: string;
  }[];
}

/** The employees of the HR export. */
export const people = rawRows("hr-export");

/** Facts about the three vendors. */
export function vendorFacts(suffix: "" | "-next-month" = ""): VendorFacts[] {
  return [tuschgruen(), brambleboard(suffix), quillmarsh()].map(facts);
}

function tuschgruen(): Tables {
  return {
    vendor: "Tuschgrün",
    users: rawRows("tuschgruen-users", ";").map((row) => ({
      id: row["Benutzer-ID"] ?? "",
      email: row["E-Mail"] ?? "",
    })),
    seats: rawRows("tuschgruen-assignments", ";").map((row) => {
      return { user: row["Benutzer-ID"] ?? "", plan: row["Tarif-ID"] ?? "" };
    }),
    plans: rawRows("tuschgruen-plans", ";").map((row) => ({
      id: row["Tarif-ID"] ?? "",
      name: row["Tarif"] ?? "",
      product: row["Produkt"] ?? "",
      paid: row["Gekaufte Plätze"] ?? "",
      consumed: row["Belegte Plätze"] ?? "",
    })),
  };
}

function brambleboard(suffix: string): Tables {
  const members = rawRows(`brambleboard-members${suffix}`, ",", 2);
  return {
    vendor: "Brambleboard",
    users: members.map((row) => ({ id: row["Member ID"] ?? "", email: row["E-Mail"] ?? "" })),
    seats: members
      .filter((row) => row["Seat"] !== "")
      .map((row) => ({ user: row["Member ID"] ?? "", plan: row["Seat"] ?? "" })),
    plans: rawRows(`brambleboard-seats${suffix}`, ",", 2).map((row) => ({
      id: row["Plan ID"] ?? "",
      name: row["Plan"] ?? "",
      product: row["Product"] ?? "",
      paid: row["Seats purchased"] ?? "",
      consumed: row["Seats assigned"] ?? "",
    })),
  };
}

function quillmarsh(): Tables {
  return {
    vendor: "Quillmarsh",
    users: rawRows("quillmarsh-users").map((row) => ({ id: row["id"] ?? "", email: row["email"] ?? "" })),
    seats: rawRows("quillmarsh-assignments").map((row) => ({
      user: row["user_id"] ?? "",
      plan: row["plan_id"] ?? "",
    })),
    plans: rawRows("quillmarsh-plans").map((row) => ({
      id: row["plan_id"] ?? "",
      name: row["plan"] ?? "",
      product: row["product"] ?? "",
      paid: row["paid_seats"] ?? "",
      consumed: row["consumed_seats"] ?? "",
    })),
  };
}

const log = rawRows("usage-log");
const newestDay = Math.floor(
  Math.max(...log.map((row) => Date.parse(row["occurred_at"] ?? ""))) / 86_400_000,
);

/** `product account` of everything that was used lately. */
const usedLately = new Set(
  log
    .filter((row) => Math.floor(Date.parse(row["occurred_at"] ?? "") / 86_400_000) >= newestDay - 30)
    .map((row) => `${row["application"]} ${row["account"]}`),
);

function addresses(rows: readonly RawRow[]): string[] {
  return rows.flatMap((row) => [
    row["Work e-mail"] ?? "",
    ...(row["Other e-mail addresses"] ?? "").split(/[;\s]+/),
  ]);
}

const written = new Set(addresses(people));
const known = new Set([...written].map((email) => email.toLowerCase()));
const ofLeavers = new Set(
  addresses(people.filter((row) => row["Active"] === "No")).map((email) => email.toLowerCase()),
);

function facts({ vendor, users, seats, plans }: Tables): VendorFacts {
  const emails = new Map(users.map(({ id, email }) => [id, email.toLowerCase()]));
  return {
    vendor,
    users: users.length,
    externals: users.filter(({ email }) => !known.has(email.toLowerCase())).length,
    otherCase: users.filter(({ email }) => known.has(email.toLowerCase()) && !written.has(email)).length,
    licenses: seats.length,
    leaverLicenses: seats.filter(({ user }) => ofLeavers.has(emails.get(user) ?? "-")).length,
    danglingLicenses: seats.filter(({ user }) => !emails.has(user)).length,
    plans: plans.map(({ id, name, product, paid, consumed }) => {
      const own = seats.filter(({ plan }) => plan === id);
      const used = own.filter(({ user }) => usedLately.has(`${product} ${user}`)).length;
      return {
        name,
        paid: paid === "" ? undefined : Number(paid),
        consumed: Number(consumed),
        licenses: own.length,
        used,
        unused: own.length - used,
      };
    }),
  };
}
