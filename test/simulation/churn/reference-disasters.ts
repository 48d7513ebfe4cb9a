import { type Disaster, only } from "./id-disasters.js";
import type { Reference } from "./installation.js";
import type { Random } from "./random.js";

/**
 * Loses records, and keeps the records that refer to them. The damage is the share of records that are lost, or the
 * share of records that refer to lost ones, whichever is larger.
 */
export function* referenceDisasters({ child, path, parent }: Reference, random: Random): Generator<Disaster> {
  const all = parent.slots();
  if (all.length < 2 || child.size < 3) return;
  const lost = (kind: string, count: number): Disaster => {
    const view = only(parent, random.pick(all, all.length - count));
    const dangling = child.slots(path, (value) => view.alive[value] !== 1).length;
    return { kind, views: [view], damage: Math.max(count / all.length, dangling / child.size) };
  };
  yield lost(`one of what ${path} names is lost`, 1);
  yield lost(`10 to 24% of what ${path} names is lost`, Math.floor(all.length * random.between(0.1, 0.24)));
  yield lost(`24 to 60% of what ${path} names is lost`, Math.floor(all.length * random.between(0.24, 0.6)));
}
