import { ConfigurationError } from "./errors/index.js";
import type { CommonOptions } from "./options.js";

/** Version of the package, for the user agent. A test holds it against package.json. */
export const VERSION = "0.1.0";

/**
 * The program and the SDK, as requests name them.
 * @throws {ConfigurationError} a name or a version that a header cannot hold
 */
export function userAgent(appInfo: CommonOptions["appInfo"]): string {
  const sdk = `saas-management-sdk/${VERSION}`;
  if (appInfo === undefined) return sdk;
  const { name, version } = appInfo;
  const app = version === undefined ? name : [name, version].every(isText) ? `${name}/${version}` : "";
  if (!isText(app) || !/^[\x21-\x7e]+$/.test(app)) {
    throw new ConfigurationError(
      "appInfo must hold a name and a version without blanks or control characters.",
    );
  }
  return `${app} ${sdk}`;
}

/** The types say so already; a caller without types may not. */
function isText(value: unknown): value is string {
  return typeof value === "string";
}
