import { readFileSync } from "node:fs";

/** Folder of the CSV files. */
export const DATA = new URL("../../examples/data/", import.meta.url);

/** A row by heading. */
export type RawRow = Readonly<Record<string, string>>;

/** The rows of a file, parsed independently of the connector. */
export function rawRows(name: string, delimiter = ",", titleRows = 0): RawRow[] {
  const text = readFileSync(new URL(`${name}.csv`, DATA), "utf8").replace(/^\uFEFF/, "");
  const [heading = [], ...rows] = cells(text, delimiter).slice(titleRows);
  return rows.map((row) => Object.fromEntries(heading.map((column, index) => [column, row[index] ?? ""])));
}

/** Splits at delimiters and line ends outside quotes. */
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

/** Numbers counted in the raw files of one vendor. */
export interface VendorFacts {
  readonly vendor: string;
  readonly users: number;
  readonly licenses: number;
  readonly plans: readonly PlanFacts[];
}

/** A seat is used if it is in the log within the 30 days before its newest day. */
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
  readonly users: number;
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
    users: rawRows("tuschgruen-users", ";").length,
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
    users: members.length,
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
    users: rawRows("quillmarsh-users").length,
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

/** `product account` of recent usage. */
const usedLately = new Set(
  log
    .filter((row) => Math.floor(Date.parse(row["occurred_at"] ?? "") / 86_400_000) >= newestDay - 30)
    .map((row) => `${row["application"]} ${row["account"]}`),
);

function facts({ vendor, users, seats, plans }: Tables): VendorFacts {
  return {
    vendor,
    users,
    licenses: seats.length,
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
