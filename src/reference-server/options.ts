import { createSecureContext } from "node:tls";
import { z } from "zod";
import { TestClock } from "../core/clock.js";
import { type Portfolio, portfolioSchema } from "./portfolio.js";
import { parse, strictObject } from "./validate.js";

/** Certificate and private key of a server, in PEM. */
export interface TlsIdentity {
  /** The certificate, followed by the intermediate certificates up to its authority. */
  readonly cert: string | Buffer;
  /** The private key of the certificate. */
  readonly key: string | Buffer;
}

/** Options of the reference server. All of them are optional. */
export interface ReferenceServerOptions {
  /**
   * TCP port of the GraphQL API. 0 takes a free port.
   * @default 0
   */
  readonly port?: number | undefined;
  /**
   * TCP port of the Sync API. 0 takes a free port.
   * @default 0
   */
  readonly syncPort?: number | undefined;
  /**
   * Address to listen on. Any address but a loopback address lets other machines connect.
   * @default "127.0.0.1"
   */
  readonly host?: string | undefined;
  /**
   * Serves both APIs over TLS 1.2 or newer.
   * @default plain HTTP, which clients accept on loopback addresses only
   */
  readonly tls?: TlsIdentity | undefined;
  /**
   * The clock of the server: leases, delays, "today".
   * @default a TestClock that shows the machine's time and can be advanced
   */
  readonly clock?: TestClock | undefined;
  /**
   * What the default workspace knows beside synced records: applications, prices, contracts.
   * @default nothing
   */
  readonly portfolio?: Portfolio | undefined;
  /**
   * Largest number of items on a page of the GraphQL API.
   * @default 1000
   */
  readonly pageSize?: number | undefined;
}

/** Options with their defaults. */
export interface CheckedOptions {
  readonly port: number;
  readonly syncPort: number;
  readonly host: string;
  readonly tls?: TlsIdentity | undefined;
  readonly clock: TestClock;
  readonly portfolio?: Portfolio | undefined;
  readonly pageSize: number;
}

const DEFAULT_PAGE_SIZE_LIMIT = 1000;

const port = z.int().min(0).max(65_535).default(0);

const pem = z.union([z.string().min(1), z.custom<Buffer>(Buffer.isBuffer)], {
  error: "Expected a string or Buffer in PEM",
});

const tls = strictObject({ cert: pem, key: pem }).refine(isKeyPair, {
  error: "The certificate and the key are not valid PEM, or they do not belong together",
});

// Not instanceof: a test may load the package twice.
const isTestClock = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "advance" in value && "now" in value;

const optionsSchema = strictObject({
  port,
  syncPort: port,
  host: z.string().min(1).default("127.0.0.1"),
  tls: tls.optional(),
  clock: z.custom<TestClock>(isTestClock, { error: "Expected a TestClock" }).default(() => new TestClock()),
  portfolio: portfolioSchema.optional(),
  pageSize: z.int().min(1).default(DEFAULT_PAGE_SIZE_LIMIT),
}).refine((options) => options.port === 0 || options.port !== options.syncPort, {
  error: "The port of the Sync API must differ from the port of the GraphQL API",
  path: ["syncPort"],
});

/** @throws {TypeError} names the option that is invalid */
export function checkOptions(options: ReferenceServerOptions): CheckedOptions {
  return parse<CheckedOptions>("options", optionsSchema, options);
}

function isKeyPair(identity: TlsIdentity): boolean {
  try {
    createSecureContext(identity);
    return true;
  } catch {
    return false;
  }
}
