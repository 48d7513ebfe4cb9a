import type { Timestamp } from "../../../sync/generated/google/protobuf/timestamp.js";
import type { SyncedInstallation } from "../../workspace.js";
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

/** The use that one installation has reported, boiled down to the last time of each actor and scope. */
export interface UsageDigest {
  /** Of accounts and employees, by the id that the source gave. */
  readonly byActor: ReadonlyMap<string, LastUses>;
  readonly discovered: readonly DiscoveredUses[];
  /** Names of the products that were discovered, by their keys. */
  readonly discoveredProducts: ReadonlyMap<string, string>;
}

/** Reads all usage events of an installation. */
export function digestUsage(installation: SyncedInstallation): UsageDigest {
  const byActor = new Map<string, Map<UsageScope, number>>();
  for (const { variant } of installation.records("usage")) {
    const time = timeOf(variant?.value.lastActivity);
    if (variant === undefined || time === undefined) continue;
    const { sourceActorId, sourcePlanId, externalProductName } = variant.value;
    const uses = getOrAdd(byActor, sourceActorId, () => new Map<UsageScope, number>());
    note(uses, scopeOf(sourcePlanId, externalProductName), time);
  }
  return { byActor, ...digestDiscovered(installation) };
}

function digestDiscovered(installation: SyncedInstallation): Omit<UsageDigest, "byActor"> {
  const byActor = new Map<string, DiscoveredUses & { readonly lastUses: Map<UsageScope, number> }>();
  const discoveredProducts = new Map<string, string>();
  for (const { variant } of installation.records("externallyDiscoveredUsage")) {
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
    getOrAdd(discoveredProducts, key, () => product.trim());
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
  return { discovered: [...byActor.values()], discoveredProducts };
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
