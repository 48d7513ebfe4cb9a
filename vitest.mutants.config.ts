/** The tests that must notice a change of the guard, of a batch or of the retries: `npm run mutants`. */
import { defineConfig } from "vitest/config";
import { aliases } from "./vitest.config.js";

export default defineConfig({
  resolve: { alias: aliases },
  test: {
    include: [
      "test/common/{cancellation,hooks,key-rotation,retries}.test.ts",
      "test/graphql/{responses,retries}.test.ts",
      "test/sync/*.test.ts",
      "test/sync/safety/**/*.test.ts",
    ],
    exclude: [
      // They are slow, and about bytes and connections.
      "test/sync/{blocks,encoders,fault-proxy,grpc-*,leaks,properties,types}.test.ts",
      // They change the working directory, which the threads of Stryker refuse.
      "test/sync/safety/file-ledger.test.ts",
      "test/sync/safety/attacks/{first-run,ledger}.test.ts",
    ],
    isolate: false,
    // Many a change makes a test wait for ever.
    testTimeout: 10_000,
    hookTimeout: 10_000,
  },
});
