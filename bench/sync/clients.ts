import type { Connect } from "./task.js";

/** The JavaScript clients; each is loaded in its own process. */
export const CLIENTS = {
  "this SDK": () => import("./clients/sdk.js"),
  "ts-proto + zod": () => import("./clients/ts-proto-zod.js"),
  "ts-proto + zod, in a hurry": () =>
    import("./clients/ts-proto-zod.js").then(({ connectInHurry }) => ({ connect: connectInHurry })),
  "ts-proto, unchecked": () => import("./clients/ts-proto.js"),
  "connect-node + zod": () => import("./clients/connect.js"),
} as const satisfies Readonly<Record<string, () => Promise<{ readonly connect: Connect }>>>;

export type ClientName = keyof typeof CLIENTS;
