/**
 * Users, plans, seats and activity of a vendor whose API is paged, each item checked with zod.
 *
 *   npm install zod && cp node_modules/@saas-management/sdk/examples/rest-vendor.mts .
 *   VENDOR_URL=https://api.vendor.example VENDOR_KEY=… npx saas-management run rest-vendor.mts --first-run
 */
import { setTimeout } from "node:timers/promises";
import { defineConnector, type RecordOf } from "@saas-management/sdk";
import { fromPages, type RecordLocation } from "@saas-management/sdk/sources";
import { z } from "zod";

const id = z.string().min(1);
const User = z.object({ id, name: z.string(), email: z.email(), role: z.string(), suspended: z.boolean() });
const Plan = z.object({ id, name: z.string(), seats: z.int() });
const Seat = z.object({ id, userId: id, planId: id, free: z.boolean() });
const Activity = z.object({ id, userId: id, planId: id, at: z.iso.datetime({ offset: true }) });
const Page = z.object({
  items: z.array(z.unknown()),
  next: id.nullable(),
  total: z.int(),
  asOf: z.iso.datetime(),
});

export const connector = defineConnector({
  snapshots: ["accounts", "plans", "licenses"],
  async run(batch, { watermark, advance }) {
    let asOf: string | undefined;
    const list = (path: string) => async (cursor: string | undefined, context: { signal: AbortSignal }) => {
      if (process.env["VENDOR_URL"] === undefined) throw new Error("VENDOR_URL is not set.");
      const url = new URL(path, process.env["VENDOR_URL"]);
      if (cursor !== undefined) url.searchParams.set("cursor", cursor);
      const page = valid(Page, await get(url, context.signal), url.pathname);
      asOf ??= page.asOf;
      return page;
    };

    // `total` of each page and the vendor's cursors prove that a listing is whole.
    const users = fromPages(list("/v1/users"), {
      map(item, at) {
        const { id, name, email, role, suspended } = valid(User, item, at);
        return { id, name, email: email.toLowerCase(), active: !suspended, roles: [role] };
      },
    });
    const plans = fromPages(list("/v1/plans"), {
      map(item, at): RecordOf<"plans"> {
        const { id, name, seats: paidSeats } = valid(Plan, item, at);
        return { id, externalPlanName: name, details: { model: "SEAT_BASED", seatBased: { paidSeats } } };
      },
    });
    const seats = fromPages(list("/v1/seats"), {
      map(item, at) {
        const { id: sourceId, userId, planId, free } = valid(Seat, item, at);
        return { sourceId, sourceAccountId: userId, sourcePlanId: planId, billable: !free };
      },
    });
    await batch.write("accounts", users);
    await batch.write("plans", plans);
    await batch.write("licenses", seats);

    // By the vendor's clock, which may differ from ours. Stored only if the run is completed.
    const since = watermark("usage") ?? "1970-01-01T00:00:00Z";
    asOf = undefined;
    const activity = fromPages(list(`/v1/activity?since=${encodeURIComponent(since)}`), {
      map(item, at) {
        const { id, userId, planId, at: lastActivity } = valid(Activity, item, at);
        return { id, sourceActorId: userId, sourcePlanId: planId, lastActivity };
      },
    });
    await batch.write("usage", activity);
    if (asOf !== undefined) advance("usage", asOf);
  },
});

/** What zod says, on one line and without the value: a renamed field would print pages. */
function valid<T>(schema: z.ZodType<T>, value: unknown, where: string | RecordLocation): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [{ path, message } = { path: [], message: "" }, ...more] = error.issues;
  const place = typeof where === "string" ? where : where.location;
  throw new Error(
    `${place}: ${path.join(".")}: ${message}${more.length > 0 ? `, and ${more.length} more` : ""}.`,
  );
}

/** Reads JSON. Waits as long as the vendor asks, and never takes an error for an answer. */
async function get(url: URL, signal: AbortSignal): Promise<unknown> {
  const headers = { authorization: `Bearer ${process.env["VENDOR_KEY"]}` };
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { headers, redirect: "manual", signal });
    if (response.status === 200) return response.json();
    const message = `The vendor answered ${url.pathname} with status ${response.status}.`;
    const retryable = [429, 502, 503, 504].includes(response.status); // asks the scheduler for another run
    if (!retryable || attempt === 5) throw Object.assign(new Error(message), { retryable });
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    await setTimeout((seconds >= 0 ? seconds : 2 ** attempt) * 1000, undefined, { signal });
  }
}
