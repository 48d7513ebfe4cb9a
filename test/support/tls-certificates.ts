import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Identity = "server" | "self-signed" | "expired" | "named" | "client" | "strange-client";
type Name = Identity | "authority" | "stranger";

/** Path of a certificate in test/support/certs; see make.sh there. */
export function certificateFile(name: Name): string {
  return fileURLToPath(new URL(`./certs/${name}-cert.pem`, import.meta.url));
}

/** Path of a certificate's key. */
export function keyFile(name: Identity): string {
  return fileURLToPath(new URL(`./certs/${name}-key.pem`, import.meta.url));
}

/** A certificate, in PEM. */
export function certificate(name: Name): string {
  return readFileSync(certificateFile(name), "utf8");
}

/** A certificate and its key. */
export function identity(name: Identity) {
  return { cert: certificate(name), key: readFileSync(keyFile(name), "utf8") };
}
