import { readFileSync } from "node:fs";

/** A certificate of test/support/certs; make.sh there tells what they are. */
export function certificate(
  name: "authority" | "stranger" | "server" | "expired" | "named" | "client" | "strange-client",
): string {
  return readFileSync(new URL(`./certs/${name}-cert.pem`, import.meta.url), "utf8");
}

/** A certificate and its key. */
export function identity(name: "server" | "expired" | "named" | "client" | "strange-client") {
  const key = readFileSync(new URL(`./certs/${name}-key.pem`, import.meta.url), "utf8");
  return { cert: certificate(name), key };
}
