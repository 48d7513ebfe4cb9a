import { createSecureContext } from "node:tls";
import { TestClock } from "../core/clock.js";
import type { KeysOf } from "../core/validate.js";
import { requireInteger, requireKnown } from "./argument-checks.js";
import { isObject } from "./is-object.js";
import type { Portfolio } from "./portfolio.js";

/** Certificate and private key of a server, in PEM. */
export interface TlsIdentity {
  /** The certificate, followed by those that lead to its authority. */
  readonly cert: string | Buffer;
  /** The certificate's private key. */
  readonly key: string | Buffer;
}

/** Options of the reference server. All of them may be left out. */
export interface ReferenceServerOptions {
  /**
   * TCP port of the GraphQL API. 0 takes a free one.
   * @default 0
   */
  readonly port?: number | undefined;
  /**
   * TCP port of the Sync API. 0 takes a free one.
   * @default 0
   */
  readonly syncPort?: number | undefined;
  /**
   * Address to listen on. Anything but a loopback address lets other machines in.
   * @default "127.0.0.1"
   */
  readonly host?: string | undefined;
  /**
   * Serves both APIs over TLS 1.2 or newer.
   * @default plain HTTP, which clients accept on loopback addresses only
   */
  readonly tls?: TlsIdentity | undefined;
  /**
   * The time that the server lives in: leases, delays, "today".
   * @default a TestClock that shows the machine's time and can be advanced
   */
  readonly clock?: TestClock | undefined;
  /**
   * What the default workspace knows beside what is synced: applications, prices, contracts.
   * @default nothing
   */
  readonly portfolio?: Portfolio | undefined;
  /**
   * Number of items that a page of the GraphQL API may have at most.
   * @default 1000
   */
  readonly pageSize?: number | undefined;
}

/** Options with their defaults filled in. */
export interface CheckedOptions {
  readonly port: number;
  readonly syncPort: number;
  readonly host: string;
  readonly tls: TlsIdentity | undefined;
  readonly clock: TestClock;
  readonly portfolio: Portfolio | undefined;
  readonly pageSize: number | undefined;
}

const OPTION_NAMES = {
  port: true,
  syncPort: true,
  host: true,
  tls: true,
  clock: true,
  portfolio: true,
  pageSize: true,
} satisfies KeysOf<ReferenceServerOptions>;

const TLS_NAMES = { cert: true, key: true } satisfies KeysOf<TlsIdentity>;

/**
 * Checks options and fills in the defaults.
 * @throws TypeError that names the option.
 */
export function checkOptions(options: ReferenceServerOptions): CheckedOptions {
  requireKnown("The options of startReferenceServer", options, OPTION_NAMES);
  const {
    port = 0,
    syncPort = 0,
    host = "127.0.0.1",
    tls,
    clock = new TestClock(),
    portfolio,
    pageSize,
  } = options;
  requireInteger("`port`", port, 0, 65_535);
  requireInteger("`syncPort`", syncPort, 0, 65_535);
  if (pageSize !== undefined) requireInteger("`pageSize`", pageSize, 1);
  if (port !== 0 && port === syncPort) throw new TypeError("`port` and `syncPort` must differ.");
  if (typeof host !== "string" || host === "")
    throw new TypeError("`host` must be an address or a host name.");
  if (!isObject(clock) || typeof clock.advance !== "function")
    throw new TypeError("`clock` must be a TestClock.");
  if (tls !== undefined) checkTls(tls);
  return { port, syncPort, host, tls, clock, portfolio, pageSize };
}

function checkTls(tls: TlsIdentity): void {
  requireKnown("tls", tls, TLS_NAMES);
  const { cert, key } = tls;
  if (!cert || !key) throw new TypeError("`tls` must have `cert` and `key`, in PEM.");
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new TypeError("`tls`: the certificate and the key are not valid PEM, or do not belong together.", {
      cause,
    });
  }
}
