import { afterAll, beforeAll } from "vitest";
import type { Exchange, RecordedBody, RecordedRun } from "../../../../src/testing/kit/cassette/cassette.js";
import type { Playback, PlaybackOptions } from "../../../../src/testing/kit/vendor/playback.js";
import { startVendor, type Vendor } from "../../../../src/testing/kit/vendor/server.js";

export const API = "https://api.acme.example";

/** A simulated vendor that gets all requests of a file's tests. */
export interface PlayedVendor {
  readonly vendor: Vendor;
  /** Plays a recording from now on; without a clock, nothing is delayed. */
  play(options: Pick<RecordedRun, "exchanges"> & Partial<PlaybackOptions>): Playback;
}

export function playedVendor(): PlayedVendor {
  let vendor: Vendor;
  let run: Playback | undefined;
  beforeAll(async () => {
    vendor = await startVendor(() => run?.route);
  });
  afterAll(() => vendor.close());
  return {
    get vendor() {
      return vendor;
    },
    play: ({ exchanges, ...options }) => {
      run?.end();
      const recording = { startedAt: "2026-05-04T02:00:00Z", exchanges };
      run = vendor.play({ clock: { sleep: () => Promise.resolve() }, recording, ...options });
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
