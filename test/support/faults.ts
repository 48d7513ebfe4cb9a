import type { Fault } from "@saas-management/sdk/testing";

type WithoutPlace<F> = F extends unknown ? Omit<F, "on"> : never;

/** A fault that doesn't yet name the calls it strikes. */
export type FaultKind = WithoutPlace<Fault>;

/** A fault of this kind that strikes these calls. */
export function faultOn(place: Pick<Fault, "on" | "nth" | "times" | "message">, kind: FaultKind): Fault {
  return { ...kind, ...place } as Fault;
}
