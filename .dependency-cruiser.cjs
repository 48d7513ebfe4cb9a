/** The layers of src (docs/architecture.md): imports go down only, without circles. `npm run check:layers` holds it. */

/** The rooms of src/sync, top to bottom: each imports from the rooms after it only. */
const ROOMS = ["batch", "write", "encoding", "ids"];

/** [files, what they must not import, why] */
const FORBIDDEN = [
  ["^src/core/", "^src/(?!core/)", "core knows neither API"],
  ["^src/node/", "^src/(?!core/|node/)", "node stands on core"],
  ["^src/graphql/", "^src/(?!core/|graphql/)", "graphql stands on core"],
  ["^src/sync/", "^src/(?!core/|node/|sync/)", "sync stands on core and node, and knows nothing of runs"],
  ["^src/runs/", "^src/(?!core/|sync/|runs/)", "runs stand on sync"],
  ["^src/sources/", "^src/(?!core/|sources/)", "sources stand on core"],
  ["^src/postgres/", "^src/(?!core/|postgres/|runs/ledger/)", "postgres is a store"],
  ["^src/(?!postgres/)", "^src/postgres/", "its users import it"],
  ["^src/otel/", "^src/(?!core/|otel/)", "it subscribes to the channels"],
  ["^src/(?!otel/)", "^src/otel/|@opentelemetry/", "its users import it"],
  [
    "^src/reference-server/",
    "^src/(?!core/|reference-server/|sync/generated/)",
    "the server judges by its own rules",
  ],
  ["^src/testing/", "^src/(?!core/|reference-server/|sync/|runs/|testing/)", "the kit runs connectors"],
  ["^src/(core|graphql)/", "@grpc/", "browsers cannot load gRPC"],
  [
    "^src/sync/(?!grpc/|client[.]ts|generated/)",
    "^src/sync/grpc/|@grpc/",
    "the engine knows SyncTransport, not gRPC",
  ],
  ["^src/sync/grpc/", `^src/sync/(${ROOMS.join("|")})/`, "gRPC moves bytes"],
  ["^src/runs/ledger/", "^src/(sync/(batch|write)|runs/(?!ledger/))", "the ledger stores, the guard judges"],
  ["^src/runs/guard/", "^src/runs/(?!guard/|ledger/)", "the guard judges for runs and previews"],
  [
    "^src/sync/(transport|options|lease|progress)[.]ts",
    `^src/sync/(${ROOMS.join("|")}|grpc)/`,
    "they are at the bottom",
  ],
];
for (const [i, room] of ROOMS.entries()) {
  if (i === 0) continue;
  FORBIDDEN.push([
    `^src/sync/${room}/`,
    `^src/sync/(${ROOMS.slice(0, i).join("|")})/`,
    `order: ${ROOMS.join(" > ")}`,
  ]);
}

module.exports = {
  forbidden: [
    { name: "no-circle", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-node-in-browsers",
      severity: "error",
      from: { path: "^src/(core|graphql)/" },
      to: { dependencyTypes: ["core"] },
    },
    ...FORBIDDEN.map(([from, to, comment]) => ({
      name: `${from} x ${to}`,
      severity: "error",
      comment,
      from: { path: from },
      to: { path: to },
    })),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
