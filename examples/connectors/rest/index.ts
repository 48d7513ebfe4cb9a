/** The REST connector: users, plans, seats and activity of a vendor whose API is paged, behind an API key. */
import { defineConnector, type RecordOf } from "@saas-management/sdk";
import { fromPages } from "@saas-management/sdk/sources";
import { z } from "zod";
import { get, type Vendor } from "./client.js";

const PAGE = 100;

const id = z.string().min(1);
const time = z.iso.datetime({ offset: true });
const Workspace = z.object({ id, users: z.int(), seats: z.int() });
const User = z.object({
  id,
  name: z.string().min(1),
  email: z.email(),
  role: z.enum(["admin", "member", "guest"]),
  suspended: z.boolean(),
});
const Plan = z.object({ id, name: z.string().min(1), seats: z.int() });
const Seat = z.object({ id, userId: id, planId: id, free: z.boolean() });
const Activity = z.object({ id, userId: id, planId: id, at: time });

export function restConnector(vendor: Vendor) {
  return defineConnector({
    snapshots: ["accounts", "plans", "licenses"],
    async run(batch, { signal, watermark, advance }) {
      // The vendor counts users and seats here too: another proof that their listings are whole.
      const workspace = await get(vendor, "/v1/workspace", Workspace, signal);
      const list = <T>(path: string, item: z.ZodType<T>, onTime?: (asOf: string) => void) =>
        pagesOf(vendor, workspace.id, path, item, onTime);

      const users = fromPages(list("/v1/users", User), { map: toAccount });
      await batch.write("accounts", users, { expectedCount: workspace.users });
      await batch.write("plans", fromPages(list("/v1/plans", Plan), { map: toPlan }));
      const seats = fromPages(list("/v1/seats", Seat), { map: toLicense });
      await batch.write("licenses", seats, { expectedCount: workspace.seats });

      // The next run begins where this listing began, by the vendor's clock: ours may differ.
      let until: string | undefined;
      const since = watermark("usage") ?? "1970-01-01T00:00:00Z";
      const path = `/v1/activity?since=${encodeURIComponent(since)}`;
      const activity = list(path, Activity, (asOf) => {
        until ??= asOf;
      });
      await batch.write("usage", fromPages(activity, { map: toUsage }));
      if (until !== undefined) advance("usage", until);
    },
  });
}

/** Fetches pages of a listing. Each page says whose it is, how many items there are in all, and from when it is. */
function pagesOf<T>(
  vendor: Vendor,
  workspace: string,
  path: string,
  item: z.ZodType<T>,
  onTime: (asOf: string) => void = () => {},
) {
  const Page = z.object({
    // Not another customer's answer out of a cache.
    workspace: z.literal(workspace),
    items: z.array(item),
    next: z.string().min(1).nullable(),
    total: z.int(),
    asOf: time,
  });
  return async (cursor: string | undefined, { signal }: { readonly signal: AbortSignal }) => {
    const url = new URL(path, vendor.baseUrl);
    url.searchParams.set("limit", String(PAGE));
    if (cursor !== undefined) url.searchParams.set("cursor", cursor);
    const { items, next, total, asOf } = await get(vendor, `${url.pathname}${url.search}`, Page, signal);
    onTime(asOf);
    return { items, next, total };
  };
}

function toAccount({ id, name, email, role, suspended }: z.infer<typeof User>): RecordOf<"accounts"> {
  return { id, name, email: email.toLowerCase(), active: !suspended, roles: [role], type: role };
}

function toPlan({ id, name, seats }: z.infer<typeof Plan>): RecordOf<"plans"> {
  return { id, externalPlanName: name, details: { model: "SEAT_BASED", seatBased: { paidSeats: seats } } };
}

function toLicense({ id, userId, planId, free }: z.infer<typeof Seat>): RecordOf<"licenses"> {
  return { sourceId: id, sourceAccountId: userId, sourcePlanId: planId, billable: !free };
}

function toUsage({ id, userId, planId, at }: z.infer<typeof Activity>): RecordOf<"usage"> {
  return { id, sourceActorId: userId, sourcePlanId: planId, lastActivity: at };
}
