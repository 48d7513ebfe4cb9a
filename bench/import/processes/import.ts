/**
 * Imports packages together, as the first thing that a process does, and prints how many milliseconds that took and how
 * much memory the process then has.
 *
 * Arguments: a list of packages as JSON.
 */
const packages: readonly string[] = JSON.parse(process.argv[2] ?? "[]");
// What the first import of a process costs, whatever it imports, is the process's own.
await import("../empty.js");
const since = performance.now();
await Promise.all(packages.map((name) => import(name)));
const ms = performance.now() - since;
const rssMiB = process.memoryUsage.rss() / 1024 ** 2;
console.log(JSON.stringify({ ms, rssMiB }));
process.exit(0);
