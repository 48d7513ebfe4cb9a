import { execFileSync } from "node:child_process";

/** Whether this process may mount a file system of its own, in a namespace of its own. */
export const canMount = (() => {
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();
