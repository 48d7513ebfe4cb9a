import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll } from "vitest";

/** Where Debian installs slapd. */
const PROGRAM = "/usr/sbin/slapd";

/** Continuous integration installs the package, and never skips these tests. */
export const skipped = !existsSync(PROGRAM) && process.env["CI"] === undefined;
/** Added to the title of a skipped test, to say why it is skipped. */
export const whySkipped = skipped ? " (skipped: Debian's package slapd is not installed)" : "";

/** A directory of `dc=example,dc=com`, whose reader gets at most 200 entries in an answer. */
export interface Directory {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** One OpenLDAP server for all tests of a file, on loopback. Use it in a suite with `skipIf(skipped)`. */
export function directoryServer(ldif: string): Directory {
  const user = "cn=reader,dc=example,dc=com";
  const password = "reads-everything";
  let url = "";
  let close = async () => {};
  beforeAll(async () => {
    ({ url, close } = await start(`${READER}${ldif}`));
  }, 60_000);
  afterAll(() => close());
  return {
    get url() {
      return url;
    },
    user,
    password,
  };
}

const READER = `dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: cn=reader,dc=example,dc=com
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: reads-everything

`;

const configuration = (folder: string) => `${["core", "cosine", "inetorgperson"]
  .map((name) => `include /etc/ldap/schema/${name}.schema`)
  .join("\n")}
modulepath /usr/lib/ldap
moduleload back_mdb
database mdb
suffix "dc=example,dc=com"
directory "${join(folder, "data")}"
maxsize 16777216
dbnosync
index objectClass eq
access to attrs=userPassword by anonymous auth
access to * by users read
limits users size.soft=200 size.hard=200 size.pr=200 size.prtotal=unlimited
`;

async function start(ldif: string): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "sdk-ldap-"));
  const config = join(folder, "slapd.conf");
  await mkdir(join(folder, "data"));
  await writeFile(config, configuration(folder));
  await writeFile(join(folder, "data.ldif"), ldif);
  execFileSync(PROGRAM, ["-T", "add", "-q", "-f", config, "-l", join(folder, "data.ldif")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const port = await freePort();
  const url = `ldap://127.0.0.1:${port}`;
  // The shell stops the server when the shell's input ends, which also happens if this process dies.
  const script = '"$@" </dev/null & read -r _; kill -TERM $! 2>/dev/null; wait $!';
  const command = [PROGRAM, "-f", config, "-h", url, "-d", "none"];
  const server = spawn("sh", ["-c", script, "sh", ...command], { stdio: ["pipe", "ignore", "pipe"] });
  const lines: string[] = [];
  createInterface(server.stderr).on("line", (line) => lines.push(line));
  while (!(await accepts(port)))
    if (server.exitCode !== null) throw new Error(`slapd did not start:\n${lines.join("\n")}`);
  return {
    url,
    close: async () => {
      const closed = once(server, "exit");
      server.stdin.end();
      await closed;
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** slapd reports its start before it listens. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** slapd can't choose a free port itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
