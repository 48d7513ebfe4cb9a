/**
 * The zod schemas that a careful user of a plain gRPC client writes for the records: they refuse misspelled keys.
 */
import { type ZodType, z } from "zod";

const id = z.string().min(1);
const text = z.string().optional();
const flag = z.boolean().optional();

/** Schemas of the details; times and maps are converted for the codec. */
export function detailSchemas<Moment, StringMap>(
  moment: ZodType<Moment, Date>,
  stringMap: ZodType<StringMap, Record<string, string>>,
) {
  return {
    accounts: z.strictObject({
      id,
      name: text,
      email: text,
      username: text,
      active: flag,
      roles: z.array(z.string()),
    }),
    licenses: z.strictObject({
      sourceId: id,
      sourceAccountId: id,
      sourcePlanId: id,
      billable: z.boolean(),
      externalProductId: text,
    }),
    usage: z.strictObject({
      id,
      sourceActorId: id,
      externalProductName: text,
      sourcePlanId: text,
      lastActivity: moment,
    }),
    employees: z.strictObject({
      id,
      fullName: id,
      firstName: text,
      lastName: text,
      email: text,
      emailAliases: z.array(z.string()),
      active: flag,
      deleted: flag,
      deletionTime: moment.optional(),
      creationTime: moment.optional(),
      avatarUrl: text,
      orgUnit: text,
      departmentPath: z.array(z.string()),
      jobTitle: text,
      country: text,
      division: text,
      costCenter: text,
      userType: text,
      managerId: text,
      hasMailbox: flag,
      attributes: stringMap,
    }),
  };
}
