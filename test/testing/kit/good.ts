/** A connector of `by token` that never sends a wrong snapshot, no matter what faults the vendor has. */
import type { RecordOf } from "@saas-management/sdk";
import { fromPages } from "@saas-management/sdk/sources";
import { z } from "zod";
import { connectorOf } from "../../support/connector.js";
import { ORIGIN } from "./recordings/people.js";

/** What a user must look like. A user that doesn't match is an error, and is never sent without a name. */
export const USER = z.object({
  id: z.union([z.string().min(1), z.int()]).transform(String),
  displayName: z.string().min(1),
  email: z.email(),
  active: z.boolean(),
  seat: z.int(),
  updatedAt: z.iso.datetime(),
});
export const TOTAL = z.int().nonnegative();

const map = ({ id, displayName, email, active, seat }: z.output<typeof USER>): RecordOf<"accounts"> => ({
  id,
  name: displayName,
  email,
  active,
  username: `seat-${seat}`,
});

const ATTEMPTS = 4;
const TRANSIENT = [408, 429, 500, 502, 503, 504];

/** Retries temporary failures. Anything but a 200 is an error whose message doesn't contain the body. */
async function ask(path: string, init: RequestInit = {}): Promise<{ text: string; headers: Headers }> {
  for (let attempt = 1; ; attempt += 1) {
    let retryAfter: string | null = null;
    try {
      const authorization = "Bearer key-of-the-good-connector";
      const headers = { authorization, ...init.headers };
      const response = await fetch(new URL(path, ORIGIN), { redirect: "manual", ...init, headers });
      const bytes = await response.arrayBuffer();
      if (response.status === 200) {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        return { text, headers: response.headers };
      }
      if (attempt === ATTEMPTS || !TRANSIENT.includes(response.status))
        throw new RangeError(`${path.split("?")[0]}: the vendor answered ${response.status}.`);
      retryAfter = response.headers.get("retry-after");
    } catch (error) {
      if (attempt === ATTEMPTS || error instanceof RangeError) throw error;
    }
    const seconds = Number(retryAfter ?? 2 ** attempt);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

async function askJson(path: string, init?: RequestInit) {
  const { text, headers } = await ask(path, init);
  const json: unknown = JSON.parse(text);
  return { json, headers };
}

function tokenPages<Item>(key: string, item: z.ZodType<Item>) {
  const page = z.object({ nextPageToken: z.string().min(1).nullable(), total: TOTAL }).loose();
  return async (cursor: string | undefined) => {
    const { json } = await askJson(
      `/v1/${key}?limit=10${cursor === undefined ? "" : `&pageToken=${cursor}`}`,
    );
    const { nextPageToken: next, total, [key]: items } = page.parse(json);
    return { items: z.array(item).parse(items), next, total };
  };
}

const LICENSE = z.object({ id: z.string().min(1), user: z.string().min(1), plan: z.string().min(1) });

export const byToken = connectorOf(["accounts", "plans", "licenses"], async (batch) => {
  await batch.write("accounts", fromPages(tokenPages("users", USER), { map }));
  const details = { model: "SEAT_BASED", seatBased: {} } as const;
  await batch.write("plans", [{ id: "pro", externalPlanName: "Pro", details }]);
  const licenses = fromPages(tokenPages("licenses", LICENSE), {
    map: ({ id: sourceId, user: sourceAccountId, plan: sourcePlanId }): RecordOf<"licenses"> => ({
      sourceId,
      sourceAccountId,
      sourcePlanId,
      billable: true,
    }),
  });
  await batch.write("licenses", licenses);
});
