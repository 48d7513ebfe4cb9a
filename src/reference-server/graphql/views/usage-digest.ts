import type { Timestamp } from "../../../sync/generated/google/protobuf/timestamp.js";
import type { MessageOf } from "../../workspace.js";
import { getOrAdd } from "./get-or-add.js";
import { addressKey, filled, productKey } from "./text.js";

/** What a use is known to be a use of, within the installation that reported it. */
export type UsageScope = `plan:${string}` | `product:${string}` | "installation";

/** When each scope was last used, in milliseconds since the epoch. */
export type LastUses = ReadonlyMap<UsageScope, number>;

/** Uses that another system than the product's own discovered. */
interface DiscoveredUses {
  readonly actorId: string;
  /** E-mail address of the actor, as it is compared. */
  readonly address: string | null;
  readonly lastUses: LastUses;
}

/** What one installation has discovered of other systems, boiled down to the last time of each actor and product. */
export interface DiscoveredUsage {
  readonly byActor: readonly DiscoveredUses[];
  /** Names of the products, by their keys. */
  readonly products: ReadonlyMap<string, string>;
}

/** Boils down usage events to the last time of each scope, by the actor's id in the source. */
export function digestUsage(events: readonly MessageOf<"usage">[]): ReadonlyMap<string, LastUses> {
  const byActor = new Map<string, Map<UsageScope, number>>();
  for (const { variant } of events) {
    const time = timeOf(variant?.value.lastActivity);
    if (variant === undefined || time === undefined) continue;
    const { sourceActorId, sourcePlanId, externalProductName } = variant.value;
    const uses = getOrAdd(byActor, sourceActorId, () => new Map<UsageScope, number>());
    note(uses, scopeOf(sourcePlanId, externalProductName), time);
  }
  return byActor;
}

/** Boils down events of discovered usage. */
export function digestDiscovered(events: readonly MessageOf<"externallyDiscoveredUsage">[]): DiscoveredUsage {
  const byActor = new Map<string, DiscoveredUses & { readonly lastUses: Map<UsageScope, number> }>();
  const products = new Map<string, string>();
  for (const { variant } of events) {
    if (variant === undefined) continue;
    const {
      sourceActorId: actorId,
      actorEmail,
      externalProductName,
      lastActivity,
      lastActivityTo,
    } = variant.value;
    const time = timeOf(lastActivity ?? lastActivityTo);
    const product = filled(externalProductName);
    // Without a product it says nothing: the installation is not where the use happened.
    if (product === null || time === undefined) continue;
    const key = productKey(product);
    getOrAdd(products, key, () => product.trim());
    const email = filled(actorEmail);
    const address = email === null ? null : addressKey(email);
    const actor = JSON.stringify([actorId, address]);
    const uses = getOrAdd(byActor, actor, () => ({
      actorId,
      address,
      lastUses: new Map<UsageScope, number>(),
    }));
    note(uses.lastUses, `product:${key}`, time);
  }
  return { byActor: [...byActor.values()], products };
}

function scopeOf(planId: string | undefined, product: string | undefined): UsageScope {
  if (planId) return `plan:${planId}`;
  return product ? `product:${productKey(product)}` : "installation";
}

/** Milliseconds since the epoch. */
function timeOf(timestamp: Timestamp | undefined): number | undefined {
  return timestamp === undefined
    ? undefined
    : Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1e6);
}

function note(uses: Map<UsageScope, number>, scope: UsageScope, time: number): void {
  if (time > (uses.get(scope) ?? Number.NEGATIVE_INFINITY)) uses.set(scope, time);
}
