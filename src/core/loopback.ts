/** True for a host that never leaves the machine: as it stands in a URL, or as a socket takes it. */
export function isLoopback(host: string): boolean {
  return ["localhost", "[::1]", "::1"].includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}
