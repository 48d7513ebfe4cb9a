import { createSecureContext } from "node:tls";
import { z } from "zod";
import { portfolioSchema } from "./portfolio.js";
import { TestClock } from "./test-clock.js";
import { strictObject } from "./validate.js";

/** Certificate and private key of a server, in PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

const port = z.int().min(0).max(65_535).default(0);
const pem = z.string().min(1);

const tls = strictObject({ cert: pem, key: pem }).refine(isKeyPair, {
  error: "The certificate and the key are not valid PEM, or they do not belong together",
});

const origin = z.string().refine((value) => URL.canParse(value) && new URL(value).origin === value, {
  error: "Expected an origin such as http://localhost:5173, without a path or a trailing slash",
});

// Not instanceof: a test may load the package twice.
const isTestClock = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "advance" in value && "now" in value;

export const optionsSchema = strictObject({
  port,
  syncPort: port,
  host: z.string().min(1).default("127.0.0.1"),
  tls: tls.optional(),
  clock: z.custom<TestClock>(isTestClock, { error: "Expected a TestClock" }).default(() => new TestClock()),
  portfolio: portfolioSchema.optional(),
  cors: z.union([z.literal(true), z.array(origin)]).optional(),
  pageSize: z.int().min(1).default(1000),
}).refine((options) => options.port === 0 || options.port !== options.syncPort, {
  error: "The port of the Sync API must differ from the port of the GraphQL API",
  path: ["syncPort"],
});

export type CheckedOptions = z.output<typeof optionsSchema>;

function isKeyPair(identity: TlsIdentity): boolean {
  try {
    createSecureContext(identity);
    return true;
  } catch {
    return false;
  }
}
