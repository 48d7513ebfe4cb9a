import type { RecordOf } from "@saas-management/sdk";
import { freshNumber } from "../support/fresh-number.js";

/** Accounts starting at a number, no two alike. */
export function freshAccounts(from: number, count: number): RecordOf<"accounts">[] {
  return Array.from({ length: count }, (_, i) => account(freshNumber(from + i)));
}

function account(number: string): RecordOf<"accounts"> {
  return {
    id: `account-${number}`,
    name: `Person Number ${number}`,
    email: `person.${number}@example.com`,
    username: `person.${number}`,
    active: true,
    roles: ["member"],
  };
}
