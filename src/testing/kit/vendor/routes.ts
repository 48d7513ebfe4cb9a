import type { IncomingMessage, ServerResponse } from "node:http";

/** Where the requests of one run go. */
export interface VendorRoute {
  readonly port: number;
  /** Tells the runs apart. */
  readonly run: string;
}

/** Headers that the interception adds: which run a request belongs to, and the origin that it was meant for. */
export const RUN_HEADER = "x-simulated-vendor-run";
export const ORIGIN_HEADER = "x-simulated-vendor-origin";

/** Answers the requests of one run. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Takes the requests of a new run, until its end. */
export type OpenRun = (handler: RequestHandler) => { readonly route: VendorRoute; readonly end: () => void };
