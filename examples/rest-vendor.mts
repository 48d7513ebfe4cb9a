/**
 * Pushes users, plans, seats and activity from a vendor's paged API: OAuth 2.0, ky for retries, zod for each item.
 *
 *   npm install ky@1 zod && cp node_modules/@saas-management/sdk/examples/rest-vendor.mts .
 *   export VENDOR_URL=https://api.vendor.example VENDOR_CLIENT_ID=… VENDOR_CLIENT_SECRET=…
 *   npx saas-management run rest-vendor.mts --first-run
 */
import { defineConnector, type RecordOf } from "@saas-management/sdk";
import { fromPages, type RecordLocation } from "@saas-management/sdk/sources";
import ky, { isHTTPError, isTimeoutError } from "ky";
import { z } from "zod";

const id = z.string().min(1);
const User = z.object({ id, name: z.string(), email: z.email(), role: z.string(), suspended: z.boolean() });
const Plan = z.object({ id, name: z.string(), seats: z.int() });
const Seat = z.object({ id, userId: id, planId: id, free: z.boolean() });
const Activity = z.object({ id, userId: id, planId: id, at: z.iso.datetime({ offset: true }) });
const Token = z.object({ access_token: id, expires_in: z.number() });
const Page = z.object({
  items: z.array(z.unknown()),
  next: id.nullable(),
  total: z.int(),
  asOf: z.iso.datetime(),
});

export const connector = defineConnector({
  snapshots: ["accounts", "plans", "licenses"],
  async run(batch, { watermark, advance }) {
    const get = vendorApi();
    let asOf: string | undefined;
    const list = (path: string) => async (cursor: string | undefined, context: { signal: AbortSignal }) => {
      const url = new URL(path, setting("VENDOR_URL"));
      if (cursor !== undefined) url.searchParams.set("cursor", cursor);
      const page = valid(Page, await get(url, context.signal), url.pathname);
      asOf ??= page.asOf;
      return page;
    };

    // The `total` of each page and the vendor's cursors show that a listing is complete.
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

    // The time by the vendor's clock, which may differ from ours; stored only if the run completes.
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

/** Checks a value; the error is one line without values, because a renamed field would fill pages with issues. */
function valid<T>(schema: z.ZodType<T>, value: unknown, where: string | RecordLocation): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [{ path, message } = { path: [], message: "" }, ...more] = error.issues;
  const place = typeof where === "string" ? where : where.location;
  throw new Error(
    `${place}: ${path.join(".")}: ${message}${more.length > 0 ? `, and ${more.length} more` : ""}.`,
  );
}

/** Reads the vendor's JSON, with a token that is renewed a minute before it expires. */
function vendorApi() {
  let token = "";
  let endsAt = 0;
  return async (url: URL, signal: AbortSignal): Promise<unknown> => {
    if (Date.now() > endsAt) {
      const tokens = new URL("/oauth/token", url);
      const body = new URLSearchParams({
        grant_type: "client_credentials",
        client_id: setting("VENDOR_CLIENT_ID"),
        client_secret: setting("VENDOR_CLIENT_SECRET"),
      });
      const { access_token, expires_in } = valid(
        Token,
        await json(tokens, { signal, body }),
        tokens.pathname,
      );
      token = access_token;
      endsAt = Date.now() + (expires_in - 60) * 1000;
    }
    return json(url, { signal, headers: { authorization: `Bearer ${token}` } });
  };
}

/** ky waits as long as the vendor asks (`Retry-After`), and throws for an error status. */
const http = ky.create({ redirect: "manual", retry: { limit: 4, methods: ["get", "post"], jitter: true } });

async function json(
  url: URL,
  request: { signal: AbortSignal; body?: URLSearchParams; headers?: Record<string, string> },
) {
  try {
    return await http(url, { method: request.body === undefined ? "get" : "post", ...request }).json();
  } catch (error) {
    // ky's errors contain the request with the token.
    if (isTimeoutError(error)) throw new Error(`The vendor did not answer ${url.pathname} in time.`);
    if (!isHTTPError(error)) throw error;
    const { status } = error.response;
    const retryable = [429, 502, 503, 504].includes(status); // Asks the scheduler for another run.
    throw Object.assign(new Error(`The vendor answered ${url.pathname} with status ${status}.`), {
      retryable,
    });
  }
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}
