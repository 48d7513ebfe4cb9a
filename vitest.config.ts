import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export const aliases = [
  { find: /^@saas-management\/sdk$/, replacement: source("index.ts") },
  {
    find: /^@saas-management\/sdk\/(graphql|otel|sources|postgres|testing)$/,
    replacement: source("$1/index.ts"),
  },
  // One copy of graphql-js: without it the CommonJS and the ESM build meet ("from another realm").
  { find: /^graphql$/, replacement: "graphql/index.js" },
];

/** Files that take a minute: a worker that begins with one at the end would work alone. */
const LONG = /\/test\/system\/(fleet|testing|app|fan-out)\//;

/** What merely computes is the same in every Node: with `ONLY_RUNTIME`, the rest is tested. */
const COMPUTES = [
  "{cli,contract,docs,examples,fuzz,golden,messages,package,simulation}/**",
  "common/{advice,call-options,client,disposition,environment,errors,hooks,key-rotation,loggers}.test.ts",
  "common/{option-names,request-id}.test.ts",
  "graphql/{check-contract,filters,generated,input-conditions,money,mutations,page-sizes,preview-vendors}.test.ts",
  "reference-server/{graphql-*,sync-auth,sync-batches,sync-messages,sync-records,sync-snapshots}.test.ts",
  "sync/{batch-id,batch-state,blocks,call-site,client,encoders,event-times,field-sample,late-writes}.test.ts",
  "sync/{lies,new-events,open,outcomes,preview*,properties,record-refusals,reference}.test.ts",
  "sync/{state-table,unsent,usual-events,watermarks}.test.ts",
  "sync/safety/attacks/**",
  "sync/safety/{approval,clocks,completion,guard*,held-*,journal,ledger-format,overlap,reach}.test.ts",
  "sync/safety/{reused-buffers,run-history,shared-installation,single-records,state}.test.ts",
  "sync/safety/{unanswered,way-back}.test.ts",
  "{postgres/store,testing/test-store}.test.ts",
  "testing/kit/{correct-connectors,report}.test.ts",
  "testing/kit/{cassette,faults,structure,verdict}/**",
].map((pattern) => `test/${pattern}`);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  resolve: { alias: aliases },
  test: {
    // Processes, browsers, other languages and packed consumers are in test/system; `npm test` is the rest.
    projects: [
      {
        extends: true,
        test: {
          name: "main",
          include: ["test/**/*.test.ts"],
          exclude: ["test/system/**", ...(process.env["ONLY_RUNTIME"] === undefined ? [] : COMPUTES)],
          // A process for each file would import the SDK and its packages again. Tests undo what they replace.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "system",
          include: ["test/system/**/*.test.ts"],
          globalSetup: "test/system/built-package.ts",
          isolate: false,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
        },
      },
    ],
    // They end what hangs, also on a machine that is busy with other things.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // One more than there are cores, because tests wait for sockets, files, and other processes.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongFirst },
    coverage: { include: ["src/**/*.ts"], exclude: ["src/**/generated/**"] },
  },
});
