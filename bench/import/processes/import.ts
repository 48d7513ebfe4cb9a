/**
 * Imports packages together, as the first thing that a process does, and prints how many milliseconds that took, how
 * many of CPU, and how much memory the process then has.
 *
 * Arguments: a list of packages as JSON.
 */
const packages: readonly string[] = JSON.parse(process.argv[2] ?? "[]");
// What the first import of a process costs, whatever it imports, is the process's own.
await import("../empty.js");
const cpu = process.cpuUsage();
const since = performance.now();
await Promise.all(packages.map((name) => import(name)));
const ms = performance.now() - since;
const { user, system } = process.cpuUsage(cpu);
const rssMiB = process.memoryUsage.rss() / 1024 ** 2;
console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, rssMiB }));
process.exit(0);
