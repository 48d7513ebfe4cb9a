/**
 * Adds optional platform packages to package-lock.json that npm left out.
 *
 * npm writes only those that the registry in use serves, and then refuses its own lockfile in `npm ci` because of the
 * others. Each gets an entry with its version, os and cpu, so that it is skipped where it does not fit and installed
 * where it does. Run after every `npm install`; it changes nothing where nothing is missing.
 */
import { readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("../package-lock.json", import.meta.url);
const OS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
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
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en")),
);
if (added.length > 0) writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(
  added.length === 0 ? "package-lock.json is complete." : `Added to package-lock.json: ${added.join(", ")}.`,
);

/** Whether the lockfile has the package where the dependent would find it. */
function isThere(path, name) {
  const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
  return places.some((place) => place in lock.packages);
}

function platformEntry(name, version, dependent) {
  const words = name.split("/").at(-1).split("-");
  const os = words.find((word) => OS.includes(word));
  const cpu = words.map((word) => CPU[word]).find((word) => word !== undefined);
  if (!/^\d/.test(version) || os === undefined || cpu === undefined) {
    throw new Error(
      `${name}@${version} is missing from package-lock.json and is no package for one platform.`,
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
