import type { Candidate, Column, Comparison, Target } from "../harness/comparison.js";
import type { ComparisonsOf } from "../harness/context.js";
import { toFigures } from "../harness/figures.js";
import { runScript } from "../harness/processes.js";

const PEERS = ["@grpc/grpc-js", "zod", "graphql", "graphql-request", "@bufbuild/protobuf"] as const;
const ALL_PEERS = "the peer set together";

/** What a user imports, by its name in the table. */
const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  "@saas-management/sdk": ["@saas-management/sdk"],
  "@saas-management/sdk/graphql": ["@saas-management/sdk/graphql"],
  "@saas-management/sdk/sources": ["@saas-management/sdk/sources"],
  "@saas-management/sdk/testing": ["@saas-management/sdk/testing"],
  [ALL_PEERS]: PEERS,
  ...Object.fromEntries(PEERS.map((name) => [name, [name]])),
  "@octokit/core": ["@octokit/core"],
  "@urql/core": ["@urql/core"],
  "@apollo/client": ["@apollo/client"],
};

const COLUMNS: readonly Column[] = [
  { figure: "ms", head: "ms", digits: 1, ratio: true },
  { figure: "cpuMs", head: "CPU ms", digits: 1, ratio: true },
  { figure: "rssMiB", head: "memory MiB", digits: 0, ratio: false },
];

const TARGETS: readonly Target[] = [
  { figure: "ms", of: "@saas-management/sdk", against: ALL_PEERS, atMost: 0.12 },
  { figure: "ms", of: "@saas-management/sdk/graphql", against: ALL_PEERS, atMost: 0.12 },
  { figure: "ms", of: "@saas-management/sdk/graphql", against: "graphql-request", atMost: 1.1 },
];

/** Imports each entry of the built package, and what a user would import instead. */
export const importComparisons: ComparisonsOf = () => {
  const comparison: Comparison = {
    id: "import/entries",
    title: "cold import",
    runs: "quick",
    subject: "@saas-management/sdk",
    candidates: Object.entries(IMPORTS).map(
      ([name, packages]): Candidate => ({
        name,
        run: async () => toFigures(await runScript("import/processes/import.js", packages)),
      }),
    ),
    columns: COLUMNS,
    targets: TARGETS,
    roundsFactor: 2,
    notes: [`The peer set: ${PEERS.join(", ")}. What a process costs by itself is taken off.`],
  };
  return [comparison];
};
