import { afterAll, beforeAll } from "vitest";
import type { Exchange, RecordedBody } from "../../../../src/testing/kit/cassette/cassette.js";
import { type Interception, intercept } from "../../../../src/testing/kit/vendor/intercept.js";
import type { PlaybackOptions, VendorRun } from "../../../../src/testing/kit/vendor/playback.js";
import { startVendor, type Vendor } from "../../../../src/testing/kit/vendor/server.js";

export const API = "https://api.acme.example";

/** A simulated vendor that gets all requests of a file's tests. */
export interface PlayedVendor {
  readonly vendor: Vendor;
  readonly interception: Interception;
  /** Plays a recording from now on; without a clock, nothing is delayed. */
  play(options: Omit<PlaybackOptions, "clock"> & Partial<Pick<PlaybackOptions, "clock">>): VendorRun;
}

export function playedVendor(): PlayedVendor {
  let vendor: Vendor;
  let interception: Interception;
  let run: VendorRun | undefined;
  beforeAll(async () => {
    vendor = await startVendor();
    interception = intercept({ route: () => run?.route });
  });
  afterAll(async () => {
    interception.restore();
    await vendor.close();
  });
  return {
    get vendor() {
      return vendor;
    },
    get interception() {
      return interception;
    },
    play: (options) => {
      run?.end();
      run = vendor.play({ clock: { sleep: () => Promise.resolve() }, ...options });
      return run;
    },
  };
}

/** A recorded exchange with the path, answered with the body. */
export function exchange(
  path: string,
  body: RecordedBody,
  request: Partial<Exchange["request"]> = {},
): Exchange {
  return {
    request: { method: "GET", url: `${API}${path}`, headers: {}, ...request },
    response: { status: 200, headers: { "content-type": "application/json" }, body },
  };
}
