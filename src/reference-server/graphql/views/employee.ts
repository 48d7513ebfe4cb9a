import type { Employee as EmployeeRecord } from "../../../sync/generated/saas_management/sync/v1/identity_records.js";
import { addressKey, filled } from "./text.js";

/** An employee of any directory. */
export interface Employee {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** All addresses, the e-mail address too, as they are compared. */
  readonly addresses: readonly string[];
}

/** What the record says about an employee, whichever directory it is from; undefined where it has no variant. */
export function employeeOf(record: EmployeeRecord): Employee | undefined {
  const { variant } = record;
  switch (variant?.$case) {
    case "generic":
      return employee(
        variant.value.id,
        variant.value.fullName,
        variant.value.email,
        variant.value.emailAliases,
      );
    case "microsoft":
      return employee(variant.value.id, variant.value.displayName, variant.value.userPrincipalName);
    case "google":
      return employee(variant.value.id, variant.value.fullName, variant.value.primaryEmail);
    case "okta":
      return employee(variant.value.id, variant.value.displayName, variant.value.login);
    case "bambooHr":
      return employee(variant.value.id, variant.value.displayName, variant.value.workEmail);
    case undefined:
      return undefined;
  }
}

function employee(
  id: string,
  name: string,
  email: string | undefined,
  aliases: readonly string[] = [],
): Employee {
  const addresses: string[] = [];
  if (email !== undefined) addresses.push(addressKey(email));
  for (const alias of aliases) addresses.push(addressKey(alias));
  return { id, name, email: filled(email), addresses };
}
