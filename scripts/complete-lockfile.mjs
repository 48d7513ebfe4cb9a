/**
 * Adds optional packages for other platforms that npm left out of package-lock.json, and hashes that are missing there.
 *
 * Run this after every `npm install`: npm writes only what the registry in use serves, and `npm ci` then rejects the
 * lockfile. A hash that this registry doesn't provide remains missing, and blocks the next release.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("../package-lock.json", import.meta.url);
const OS = "aix android darwin freebsd linux netbsd openbsd openharmony sunos win32".split(" ");
const CPU = {
  arm64: "arm64",
  x64: "x64",
  ia32: "ia32",
  arm: "arm",
  armv7: "arm",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
  wasm32: "wasm32",
};

const lock = JSON.parse(readFileSync(FILE, "utf8"));
const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isThere(path, name)) continue;
    lock.packages[`node_modules/${name}`] = platformEntry(name, version, entry);
    added.push(name);
  }
}
const unhashed = Object.entries(lock.packages).filter(([path, { integrity }]) => path !== "" && !integrity);
const unknown = unhashed.filter(([path, entry]) => {
  const { version, ...others } = entry;
  const integrity = integrityOf(path.split("node_modules/").at(-1), version);
  if (integrity !== undefined) lock.packages[path] = { version, integrity, ...others };
  return integrity === undefined;
});
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en")),
);
if (added.length > 0 || unknown.length < unhashed.length)
  writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
if (added.length > 0) console.log(`Added to package-lock.json: ${added.join(", ")}.`);
console.log(
  unknown.length === 0
    ? "package-lock.json is complete."
    : `The registry doesn't provide the hashes of ${unknown.length} packages of other platforms: ${unknown.map(([path]) => path).join(", ")}.`,
);

/** Whether the lockfile has the package where its dependent looks for it. */
function isThere(path, name) {
  const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
  return places.some((place) => place in lock.packages);
}

/** The package's hash; undefined if the registry doesn't serve the package. */
function integrityOf(name, version) {
  try {
    const options = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    const integrity = execFileSync("npm", ["view", `${name}@${version}`, "dist.integrity"], options).trim();
    return integrity.startsWith("sha512-") ? integrity : undefined;
  } catch {
    return undefined;
  }
}

function platformEntry(name, version, dependent) {
  const words = name.split("/").at(-1).split("-");
  const os = words.find((word) => OS.includes(word));
  const cpu = words.map((word) => CPU[word]).find((word) => word !== undefined);
  if (!/^\d/.test(version) || os === undefined || cpu === undefined) {
    throw new Error(
      `${name}@${version} is missing from package-lock.json and is not specific to one platform.`,
    );
  }
  return {
    version,
    cpu: [cpu],
    ...(dependent.dev ? { dev: true } : {}),
    optional: true,
    os: [os],
    ...(words.includes("musl") || words.includes("musleabihf") ? { libc: ["musl"] } : {}),
    ...(words.includes("gnu") || words.includes("gnueabihf") ? { libc: ["glibc"] } : {}),
  };
}
