import { describe, expect, test } from "vitest";
import type { SyncClientOptions } from "../../../src/sync/options.js";
import { type NginxOptions, skipped, startNginx, whySkipped } from "../../support/nginx.js";
import { accounts } from "../../support/records.js";
import { testService } from "../../support/test-service.js";
import { certificate } from "../../support/tls-certificates.js";

describe.skipIf(skipped)(`the Sync API behind nginx${whySkipped}`, () => {
  const service = testService();

  async function behind(options: NginxOptions = {}, sync: Partial<SyncClientOptions> = {}) {
    const nginx = await startNginx(service.server.syncUrl, options);
    const client = service.syncClient({
      endpoint: nginx.endpoint,
      tls: { ca: certificate("authority") },
      ...sync,
    });
    const run = (count: number) => {
      const { installationId } = service;
      return client.run(
        { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts(count)) },
        { installationId, ledger: "none", guard: false, retryForMs: 0 },
      );
    };
    return { nginx, run };
  }

  test("takes 60,000 accounts in one run, with its default limit for request bodies", async () => {
    const { run } = await behind();
    const receipt = await run(60_000);
    expect(receipt.collections.accounts?.stats).toMatchObject({ sent: 60_000, accepted: 60_000 });
    expect(receipt.notes).toEqual([expect.stringContaining("set windowBytes to 1048576")]);
    expect(service.states()).toEqual(["completed"]);
    expect(service.present()).toHaveLength(60_000);
  });

  test("needs no second attempt if windowBytes is set as the note says", async () => {
    const { run } = await behind({}, { windowBytes: 1_048_576 });
    const receipt = await run(60_000);
    expect(receipt.notes).toEqual([]);
    expect(receipt.collections.accounts?.stats).toMatchObject({ accepted: 60_000, retries: 0 });
  });

  test("may close each connection after five requests, and reload during a run", async () => {
    const { nginx, run } = await behind(
      { http: "keepalive_requests 5;" },
      { windowBytes: 256 * 1024, retry: { retries: 8, minDelayMs: 1, maxDelayMs: 20 } },
    );
    const running = run(30_000);
    for (let reloads = 0; reloads < 3; reloads += 1) nginx.reload();
    expect((await running).collections.accounts?.stats.accepted).toBe(30_000);
  });
});
