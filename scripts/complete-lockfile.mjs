/**
 * Adds optional platform packages that npm left out of package-lock.json.
 *
 * npm writes only those that the registry in use serves, and `npm ci` then rejects the lockfile. Run it after every
 * `npm install`.
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
      `${name}@${version} is missing from package-lock.json and is not a package for one platform.`,
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
