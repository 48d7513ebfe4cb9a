/** What the process holds open: sockets, servers, timers. */

/** How long sockets that were destroyed may take to go. Only what stays takes so long. */
const GONE_WITHIN_MS = 20_000;

const WATCHED: readonly string[] = ["TCPSocketWrap", "TCPServerWrap", "TCPConnectWrap", "Timeout"];

/** Number of open resources of each type that is watched. */
export function openResources(): ReadonlyMap<string, number> {
  const all = process.getActiveResourcesInfo();
  return new Map(WATCHED.map((type) => [type, all.filter((one) => one === type).length]));
}

/** What is open in addition to what was before, once all that ends by itself has ended. */
export async function leftBehind(before: ReadonlyMap<string, number>): Promise<string[]> {
  const more = () => [...openResources()].filter(([type, count]) => count > (before.get(type) ?? 0));
  await gone(() => more().length === 0);
  return more().map(([type, count]) => `${count - (before.get(type) ?? 0)} of ${type} are left open`);
}

/** Resolves when it is true, and when that takes too long. */
export async function gone(isGone: () => boolean): Promise<void> {
  const begun = performance.now();
  while (!isGone() && performance.now() - begun < GONE_WITHIN_MS)
    await new Promise((resolve) => setImmediate(resolve));
}
