import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { unusedPort } from "./tcp-peers.js";
import { certificateFile, keyFile } from "./tls-certificates.js";

/** Where Debian installs nginx. */
const PROGRAM = "/usr/sbin/nginx";

/** Continuous integration installs the package, and never skips these tests. */
export const skipped = !existsSync(PROGRAM) && process.env["CI"] === undefined;
/** Added to the title of a skipped test, to say why it is skipped. */
export const whySkipped = skipped ? " (skipped: Debian's package nginx is not installed)" : "";

/** Extra lines for each block of the configuration. */
export interface NginxOptions {
  readonly http?: string;
  readonly server?: string;
  readonly location?: string;
}

/** An nginx over TLS that passes gRPC on to the Sync API, until the test ends. */
export async function startNginx(syncUrl: string, { http = "", server = "", location }: NginxOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), "sdk-nginx-"));
  const port = await unusedPort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ");
  const configuration = `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 256; }
http { access_log off; ${temporary} ${http}
  server { listen 127.0.0.1:${port} ssl http2; ${server}
    ssl_certificate ${certificateFile("server")}; ssl_certificate_key ${keyFile("server")};
    location / { ${location ?? `grpc_pass grpc://${new URL(syncUrl).host};`} } } }`;
  await writeFile(join(folder, "nginx.conf"), configuration);
  const child = spawn(PROGRAM, ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"], {
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  while (!(await isListening(port))) if (child.exitCode !== null) throw new Error("nginx did not start.");
  return { endpoint: `https://localhost:${port}`, reload: () => child.kill("SIGHUP") };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => setImmediate(resolve, false));
  });
}
