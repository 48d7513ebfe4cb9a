import { execFileSync } from "node:child_process";

/** Whether this process may mount a file system in its own namespace. */
export const canMount = (() => {
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();
