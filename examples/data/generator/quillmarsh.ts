import type { Employee } from "./employees.js";
import { type Random, randomFor } from "./random.js";
import { assigned, externals, People, seatsOf } from "./seats.js";
import { type CsvStyle, csvText } from "./text.js";
import { accountsOf, asWritten, type PlanOnSale, type VendorExport, withAccounts } from "./vendor.js";

const SALES: PlanOnSale = {
  id: "QM-SALES-PRO",
  product: "Quillmarsh CRM",
  name: "Sales Pro",
  seats: { paid: 160, regular: 119, idle: 15, never: 4, leavers: 5, externals: 4, nobody: 1 },
};
const SERVICE: PlanOnSale = {
  id: "QM-SERVICE-DESK",
  product: "Quillmarsh CRM",
  name: "Service Desk",
  seats: { paid: 70, regular: 49, idle: 6, never: 3, leavers: 2, externals: 2, nobody: 0 },
};
const ANALYTICS: PlanOnSale = {
  id: "QM-ANALYTICS",
  product: "Quillmarsh Analytics",
  name: "Analytics Add-on",
  seats: { paid: 40, regular: 24, idle: 9, never: 4, leavers: 1, externals: 0, nobody: 0 },
};

const STYLE: CsvStyle = { delimiter: ",", lineEnd: "\n" };

/** Administrators, who have an account and no seat. */
const ADMINISTRATORS = 5;

/** The CRM of a British vendor: plain files with ISO dates. The add-on requires a Sales Pro seat. */
export function quillmarsh(employees: readonly Employee[]): VendorExport {
  const random = randomFor("quillmarsh");
  const sellers = new People(employees, ["Sales EMEA", "Sales Americas", "Sales APAC"], random);
  const agents = new People(employees, ["Customer Service", "Quality"], random);
  const administrators = new People(employees, ["IT Operations"], random).present(ADMINISTRATORS);
  const resellers = externals(SALES.seats.externals + SERVICE.seats.externals, random);

  const sales = seatsOf(SALES, sellers, resellers.slice(0, SALES.seats.externals));
  const service = seatsOf(SERVICE, agents, resellers.slice(SALES.seats.externals));
  const holders = sales.flatMap(({ holder }) => holder ?? []);
  const present = holders.filter(({ left }) => !left);
  const left = holders.filter(({ left }) => left);
  const analytics = seatsOf(
    ANALYTICS,
    { present: (count) => present.splice(0, count), leavers: (count) => left.splice(0, count) },
    [],
  );

  const seats = [...sales, ...service, ...analytics];
  const accounts = accountsOf([...administrators, ...seats.flatMap(({ holder }) => holder ?? [])], () =>
    uuid(random),
  );
  const usedSeats = withAccounts(seats, accounts, () => uuid(random));
  const rolesOf = new Map(
    usedSeats.map(({ accountId, planId }) => [accountId, planId === SERVICE.id ? "service" : "sales"]),
  );

  const users = accounts.map(({ id, holder }) => {
    const role = rolesOf.get(id) ?? "admin";
    const email = asWritten(holder.email, random);
    const username = holder.email.slice(0, holder.email.indexOf("@"));
    return [
      id,
      holder.name,
      email,
      username,
      random.chance(0.15) ? `${role}|reports` : role,
      "true",
      holder.since,
    ];
  });
  const plans = [SALES, SERVICE, ANALYTICS].map(({ id, product, name, seats }) => {
    return [id, product, name, String(seats.paid), String(assigned(seats))];
  });
  const assignments = usedSeats.map(({ accountId, planId, holder }) => {
    return [uuid(random), accountId, planId, "true", holder?.since ?? "2021-05-17"];
  });
  return {
    usedSeats,
    files: {
      "quillmarsh-users.csv": csvText(
        [["id", "name", "email", "username", "roles", "active", "created_on"], ...users],
        STYLE,
      ),
      "quillmarsh-plans.csv": csvText(
        [["plan_id", "product", "plan", "paid_seats", "consumed_seats"], ...plans],
        STYLE,
      ),
      "quillmarsh-assignments.csv": csvText(
        [["assignment_id", "user_id", "plan_id", "billable", "assigned_on"], ...assignments],
        STYLE,
      ),
    },
  };
}

/** An id in the form of a random UUID (RFC 9562, version 4). */
function uuid(random: Random): string {
  const hex = (length: number) => random.text("0123456789abcdef", length);
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${random.text("89ab", 1)}${hex(3)}-${hex(12)}`;
}
