import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { arch, hostname, release, type } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface HostDevice {
  readonly id: string;
  readonly name: string;
  readonly manufacturer: string | undefined;
  readonly model: string | undefined;
  /** Readable by root only on Linux. */
  readonly serialNumber: string | undefined;
  readonly operatingSystem: string;
  readonly operatingSystemVersion: string;
  readonly kernel: string;
  readonly architecture: string;
}

export async function readDevice(platform: NodeJS.Platform, root: string): Promise<HostDevice> {
  const details = platform === "darwin" ? await macDetails() : await linuxDetails(root);
  return { name: hostname(), kernel: `${type()} ${release()}`, architecture: arch(), ...details };
}

type Details = Omit<HostDevice, "name" | "kernel" | "architecture">;

async function linuxDetails(root: string): Promise<Details> {
  const text = async (path: string) => (await readIfPresent(join(root, path)))?.trim() || undefined;
  const system = parseOsRelease((await text("etc/os-release")) ?? (await text("usr/lib/os-release")) ?? "");
  const machineId = (await text("etc/machine-id")) ?? (await text("var/lib/dbus/machine-id"));
  return {
    // Before its first boot an image has "uninitialized" or nothing here.
    id: /^[0-9a-f]{32}$/.test(machineId ?? "") ? derivedId(`${machineId}`) : hostname(),
    manufacturer: await text("sys/class/dmi/id/sys_vendor"),
    model: await text("sys/class/dmi/id/product_name"),
    serialNumber: await text("sys/class/dmi/id/product_serial"),
    operatingSystem: system.get("NAME") ?? type(),
    operatingSystemVersion: system.get("VERSION_ID") ?? release(),
  };
}

async function macDetails(): Promise<Details> {
  const [name, version, model, registry] = await Promise.all([
    outputOf("sw_vers", "-productName"),
    outputOf("sw_vers", "-productVersion"),
    outputOf("sysctl", "-n", "hw.model"),
    outputOf("ioreg", "-rd1", "-c", "IOPlatformExpertDevice"),
  ]);
  const { uuid, serialNumber } = parsePlatformExpert(registry ?? "");
  return {
    id: uuid === undefined ? hostname() : derivedId(uuid),
    manufacturer: "Apple",
    model,
    serialNumber,
    operatingSystem: name ?? "macOS",
    operatingSystemVersion: version ?? release(),
  };
}

/** The id survives renaming. machine-id(5) is confidential and requires a keyed hash. */
function derivedId(machineId: string): string {
  return createHmac("sha256", machineId).update("saas-management host connector").digest("hex").slice(0, 32);
}

/** Parses the output of `ioreg -rd1 -c IOPlatformExpertDevice`. */
export function parsePlatformExpert(text: string): {
  readonly uuid: string | undefined;
  readonly serialNumber: string | undefined;
} {
  const value = (key: string) => new RegExp(`"${key}" = "([^"]+)"`).exec(text)?.[1];
  return { uuid: value("IOPlatformUUID"), serialNumber: value("IOPlatformSerialNumber") };
}

/** Parses `os-release(5)`: shell assignments with optional quotes. */
export function parseOsRelease(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, name, value] = /^\s*([A-Z0-9_]+)=(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const quoted = /^(["'])(.*)\1$/.exec(value)?.[2];
    values.set(name, (quoted ?? value).replaceAll(/\\(["'$`\\])/g, "$1"));
  }
  return values;
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return await readFile(path, "utf8").catch(() => undefined);
}

async function outputOf(command: string, ...args: string[]): Promise<string | undefined> {
  const result = await promisify(execFile)(command, args).catch(() => undefined);
  return result?.stdout.trim() || undefined;
}
