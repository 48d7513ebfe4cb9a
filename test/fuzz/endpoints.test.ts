import { inspect } from "node:util";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveEndpoint } from "../../src/core/endpoint.js";
import { createSyncClient } from "../../src/sync/client.js";
import { holds } from "../support/fuzz.js";
import { outcomeOf } from "../support/hostile.js";
import { mutatedBytes } from "../support/mutated-bytes.js";
import { TIMEOUT_MS } from "../support/property-runs.js";

const CANARY = "canary-6f1d";
const URLS = [
  "https://api.example.com",
  "https://api.example.com:8443/base/",
  "http://127.0.0.1:9",
  "http://localhost:9/",
  "http://[::1]:9",
  `https://user:${CANARY}@api.example.com`,
  `https://api.example.com/?key=${CANARY}#x`,
  "http://127.0.0.1.example.com",
  "http://localhost.example.com",
  "http://127.0.0.256",
  "http://0x7f.1:9",
  "http://0.0.0.0:9",
  "https://日本語.example",
  "https:\\\\api.example.com",
  "HTTPS://API.EXAMPLE.COM:443",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "data:text/plain,x",
  "ws://127.0.0.1:9",
  "//127.0.0.1:9",
  "http://127.0.0.1:9\r\nx: y",
  "https://api.example.com:99999",
  " http://127.0.0.1:9 ",
].map((text) => Buffer.from(text));

const url = fc.oneof(
  { weight: 4, arbitrary: mutatedBytes(URLS).map((bytes) => bytes.toString()) },
  { weight: 1, arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
);

/** Addresses of this machine, as sockets know them. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

describe("a hostile endpoint", { timeout: TIMEOUT_MS }, () => {
  test("is one that a key may be sent to, or refused without being quoted", async () => {
    const seen = { taken: 0, refused: 0 };
    const property = fc.asyncProperty(url, async (text) => {
      const made = [
        await outcomeOf(() => new GraphQLClient({ apiKey: "key-1", baseUrl: text })),
        await outcomeOf(() => createSyncClient({ apiKey: "key-1", endpoint: text })),
        await outcomeOf(() =>
          createSyncClient({ apiKey: "key-1", endpoint: "https://127.0.0.1:9", proxy: text }),
        ),
      ];
      for (const outcome of made) {
        seen[outcome?.error === undefined ? "taken" : "refused"] += 1;
        if (outcome?.error === undefined) continue;
        expect(outcome.error.code).toBe("INVALID_CONFIGURATION");
        if (text.includes(CANARY)) expect(inspect(outcome.error, { showHidden: true })).not.toContain(CANARY);
      }
      const resolved = await outcomeOf(() => resolveEndpoint("baseUrl", text, "path"));
      if (resolved?.error !== undefined || resolved === undefined) return;
      const { protocol, hostname, username, password, search, hash } = resolved.value;
      expect([username, password, search, hash]).toEqual(["", "", "", ""]);
      expect(protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname))).toBe(true);
    });
    await holds({ group: "endpoints", what: "endpoints and proxies" }, property);
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(0);
  });
});
