/** One way to use the packed package: what to run and what it must print. */
export interface Cell {
  readonly name: string;
  /** Packages of `runtimes/package.json` that the cell needs. */
  readonly tools: readonly string[];
  /** Folder of the consumer, next to this file. */
  readonly folder: string;
  /** Programs to run in that folder, one after the other; `{tools}` stands for the tools, `{package}` for the tarball. */
  readonly commands: readonly (readonly [program: string, ...args: string[]])[];
  /** Part of the last command's JSON; left out if only its exit code counts. */
  readonly prints?: Readonly<Record<string, unknown>>;
  /** Whether CI runs the cell. CI runs the cells of all runtimes, and other cells that are quick. */
  readonly ci?: true;
  /** Whether the cell is a separate project, installed by the first command. */
  readonly alone?: true;
  /** Use a server in this process instead of one that the program starts from the package. */
  readonly server?: true;
  /** Remove the packages of gRPC first. */
  readonly withoutGrpc?: true;
}

const NODES = { "20.19": "node-20", "22": "node-22", "24": "node-24", "26": "node-26" } as const;
/** The oldest and the newest version of Node, and the one with which `.ci/run` repeats the tests. */
const NODES_OF_CI: readonly string[] = ["20.19", "24", "26"];
const BOTH_APIS = { accepted: 2, refused: true, names: ["Figma", "Zoom"], oneCopy: true };
/** What a page gets from a handler of `examples/handlers`. */
export const HANDLED = {
  names: ["Figma", "Slack", "Zoom"],
  own: { licensePlans: { totalCount: 0 } },
  together: 20,
  refused: ["GraphQLResponseError", "DOCUMENT_NOT_ALLOWED"],
  mutation: "ProcurementCaseNotFoundError",
  limited: ["RateLimitError", "RATE_LIMITED"],
  failing: ["TransportError", "TRANSPORT_FAILED"],
  unauthorized: ["GraphQLResponseError", "UPSTREAM_REFUSED"],
  redirected: ["TransportError", "TRANSPORT_FAILED"],
  stalled: ["TimeoutError", "TIMEOUT"],
  after: { licensePlans: { totalCount: 0 } },
  elsewhere: 404,
  keyLeft: false,
};
const DENO = ["run", "--no-prompt", "--allow-net", "--allow-env", "--allow-read", "--allow-sys"] as const;
const VM_MODULES = "--experimental-vm-modules";

const node = (tool: string) => `{tools}/${tool}/bin/node`;
const inCi = (isQuick: boolean) => (isQuick ? ({ ci: true } as const) : {});

const nodes = Object.entries(NODES).flatMap(([version, tool]): Cell[] =>
  ["esm.mjs", "commonjs.cjs"].map((program) => ({
    name: `Node ${version}, ${program}`,
    tools: [tool],
    folder: "node",
    commands: [[node(tool), program]],
    prints: BOTH_APIS,
    ...inCi(NODES_OF_CI.includes(version)),
  })),
);

const otherRuntimes = (["esm.mjs", "commonjs.cjs"] as const).flatMap((program): Cell[] => [
  {
    name: `Bun, ${program}`,
    tools: ["bun"],
    folder: "node",
    commands: [["{tools}/.bin/bun", program]],
    prints: BOTH_APIS,
    ci: true,
  },
  {
    name: `Deno, ${program}`,
    tools: ["deno"],
    folder: "node",
    commands: [["{tools}/.bin/deno", ...DENO, program]],
    prints: BOTH_APIS,
    ci: true,
  },
]);

const withoutGrpc = Object.entries({
  "Node 20.19": [node("node-20")],
  Bun: ["{tools}/.bin/bun"],
  Deno: ["{tools}/.bin/deno", ...DENO],
} as const).map(
  ([name, [program, ...args]]): Cell => ({
    name: `${name}, ./graphql where gRPC is not installed`,
    tools: [{ "Node 20.19": "node-20", Bun: "bun", Deno: "deno" }[name] ?? "node-20"],
    folder: "runtime",
    commands: [[program, ...args, "main.js"]],
    prints: { names: ["Figma", "Slack", "Zoom"], opened: "Renew" },
    server: true,
    withoutGrpc: true,
    ci: true,
  }),
);

const networks = Object.entries({
  "Node 26": ["node-26", node("node-26")],
  Bun: ["bun", "{tools}/.bin/bun"],
  Deno: ["deno", "{tools}/.bin/deno", ...DENO],
} as const).map(
  ([name, [tool, ...program]]): Cell => ({
    name: `${name}, TLS and proxies`,
    tools: [tool],
    folder: "network",
    commands: [[...program, "main.js"]],
    prints: {
      unknownAuthority: "not trusted",
      otherAuthority: "not trusted",
      ownAuthority: "answered",
      throughProxy: ["CONNECT"],
    },
    server: true,
    ci: true,
  }),
);

const WORKER = ["--bundle", "--format=esm", "--external:node:process", "--outfile=worker.js"] as const;
const SERVE = ["serve", "--no-prompt", "--allow-net", "--allow-env", "--host=127.0.0.1", "--port=0"] as const;

const handlers = Object.entries({
  Bun: [["bun"], ["{tools}/.bin/bun", "handler.ts"]],
  Deno: [["deno"], ["{tools}/.bin/deno", ...SERVE, "handler.ts"]],
  workerd: [
    ["workerd", "esbuild"],
    ["{tools}/.bin/workerd", "serve", "--control-fd=1", "workerd.capnp"],
  ],
} as const).map(
  ([name, [tools, command]]): Cell => ({
    name: `${name}, a handler for pages`,
    tools: ["node-26", ...tools],
    folder: "handlers",
    commands: [
      ...(name === "workerd" ? [["{tools}/.bin/esbuild", "handler.ts", ...WORKER] as const] : []),
      [node("node-26"), "check.mjs", ...command],
    ],
    prints: HANDLED,
    ci: true,
  }),
);

/** 5.4 is the oldest version that knows `NoInfer`, which the declarations use. */
const compilers = ["5.4", "6", "7"].flatMap((version): Cell[] =>
  ["nodenext", "bundler"].map((resolution) => ({
    name: `TypeScript ${version}, ${resolution}`,
    tools: [`typescript-${version}`, "@types/node", "node-26"],
    folder: "typescript",
    commands: [
      [node("node-26"), `{tools}/typescript-${version}/bin/tsc`, "-p", `tsconfig.${resolution}.json`],
      ...(resolution === "nodenext" ? [[node("node-26"), "out/main.js"] as const] : []),
    ],
    ...(resolution === "nodenext"
      ? {
          prints: {
            accepted: 2,
            refused: true,
            names: ["Figma", "Zoom"],
            sums: 0,
            mutation: "ProcurementCaseNotFoundError",
            run: "string",
          },
        }
      : {}),
    ...inCi(version === "5.4"),
  })),
);

const kitInJest = (tool: string, ...flags: string[]): Cell => ({
  name: `connectorTests in jest, ${tool}${flags.map((flag) => `, ${flag}`).join("")}`,
  tools: [tool, "jest"],
  folder: "kit",
  commands: [
    [node(tool), VM_MODULES, "{tools}/jest/bin/jest.js", "--rootDir", ".", ...flags, "good.test.js"],
  ],
});

const jest = (tool: string, test: string): Cell => ({
  name: `jest in CommonJS, ${tool}, ${test}`,
  tools: [tool, "jest"],
  folder: "jest",
  commands: [
    [node(tool), VM_MODULES, "{tools}/jest/bin/jest.js", "--rootDir", ".", "--testMatch", `**/${test}`],
  ],
});

const vite: Cell = {
  name: "Vite, ./graphql for browsers",
  tools: ["vite", "node-26"],
  folder: "vite",
  commands: [
    [node("node-26"), "{tools}/vite/bin/vite.js", "build", "--logLevel", "error"],
    [node("node-26"), "run.mjs"],
  ],
  prints: { names: ["Figma", "Slack", "Zoom"], needsNode: false },
  server: true,
};

const NPM = ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"] as const;
/** A client reads every answer, no matter which version of graphql the project has. */
const COUNTED = { licensePlans: { totalCount: 0 } };
const graphqls = ["15.11.0", "16.15.0", "17.1.0"].map((version): Cell => {
  const graphql = Number.parseInt(version, 10);
  return {
    name: `a project with graphql ${graphql}`,
    tools: ["node-24"],
    folder: "graphql",
    commands: [
      [...NPM, "{package}", `graphql@${version}`],
      [node("node-24"), "main.js"],
    ],
    prints: {
      graphql,
      name: "Zoom",
      own: COUNTED,
      handled: { data: COUNTED },
      refused: "MUTATION_REJECTED",
      unknownField: [[false, "VALIDATION_UNKNOWN_FIELD"]],
      syntax: [[false, "HC0014"]],
      variables: [[false, "HC0016"]],
      served: 2,
    },
    alone: true,
    ...inCi(graphql === 17),
  };
});

const EXAMPLES = "{tools}/../../../examples";
const NEXT_ROUTE = `${EXAMPLES}/handlers/next-route.ts`;
const PNPM = ["{tools}/pnpm/bin/pnpm.mjs", "add", "--prefer-offline", "--store-dir={tools}/../pnpm"] as const;
const everything: Cell = {
  name: "graphql 17, jsdom, webpack with source-map-loader, Next and pnpm",
  tools: ["node-24", "pnpm", "esbuild"],
  folder: "pnpm",
  commands: [
    [node("node-24"), ...PNPM, "{package}"],
    [node("node-24"), "node_modules/vitest/vitest.mjs", "run"],
    [node("node-24"), "bundle.js"],
    ["{tools}/.bin/esbuild", NEXT_ROUTE, "--outfile=app/api/graphql/route.js", "--log-level=error"],
    [node("node-24"), "node_modules/next/dist/bin/next", "build"],
  ],
  server: true,
  alone: true,
};

/** These packages need a later Node than the SDK, so the SDK's own tests use their previous versions. */
const newest: Cell = {
  name: "OpenTelemetry 3, undici 8, got 16 and ldapts 9",
  tools: ["node-24", "typescript-7"],
  folder: "newest",
  commands: [
    [...NPM, "{package}"],
    ["cp", `${EXAMPLES}/ldap.mts`, "."],
    [node("node-24"), "{tools}/typescript-7/bin/tsc", "-p", "."],
    [node("node-24"), "main.js"],
  ],
  prints: {
    read: [["Zoom"], ["Zoom"]],
    spans: 4,
    metrics: ["saas_management.graphql.operation.duration"],
    played: { fetch: "passed", "fetch of undici": "passed", "request of undici": "passed", got: "passed" },
  },
  alone: true,
};

export const CELLS: readonly Cell[] = [
  ...nodes,
  ...otherRuntimes,
  ...withoutGrpc,
  ...networks,
  ...handlers,
  ...compilers,
  kitInJest("node-20"),
  kitInJest("node-24", "--injectGlobals=false"),
  jest("node-20", "import.test.cjs"),
  jest("node-24", "require.test.cjs"),
  jest("node-26", "require.test.cjs"),
  vite,
  ...graphqls,
  everything,
  newest,
];
