import { cpus, loadavg, totalmem } from "node:os";

const GIB = 1024 ** 3;

/** What readers of the figures should know about the machine. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  readonly platform: string;
  /** Average load in the last minute before the benchmark. */
  readonly loadBefore: number;
}

export function describeMachine(): Machine {
  const cores = cpus();
  return {
    cpu: cores[0]?.model ?? "unknown",
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / GIB),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** Describes the machine in the line above the tables. */
export function showMachine({ cpu, cores, memoryGiB, node, platform, loadBefore }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, load ${loadBefore.toFixed(1)} before`;
}
