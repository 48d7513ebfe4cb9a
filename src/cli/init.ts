import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { VERSION } from "../core/version.js";
import type { Io } from "./io.js";
import { type Options, UsageError } from "./options.js";

/** Makes a connector project in a new folder. */
export async function run([given = ""]: readonly string[], _: Options, io: Io): Promise<void> {
  const folder = resolve(given);
  const name = basename(folder);
  // The name must be valid for npm and for Kubernetes.
  if (!/^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$/.test(name))
    throw new UsageError("The folder's name can be up to 52 lower-case letters, digits and hyphens.");
  const files = projectFiles(name);
  try {
    const made = await mkdir(folder, { recursive: true });
    if (made === undefined && (await readdir(folder)).length > 0)
      throw new UsageError(`${folder} is not empty. Choose another folder: nothing is overwritten.`);
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  } catch (error) {
    const isFile = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isFile ? new UsageError(`${folder} is a file, and nothing is overwritten.`) : error;
  }
  io.write(`${folder}: ${Object.keys(files).join(", ")}\n`);
  io.note(
    `Next: cd ${folder} && npm install && npm test. For an API, first: node connector.test.js --record`,
  );
}

/** The files of a new connector project, by their names. */
function projectFiles(name: string): Readonly<Record<string, string>> {
  return {
    "package.json": `${JSON.stringify({ name, ...PACKAGE }, undefined, 2)}\n`,
    "connector.js": CONNECTOR,
    "connector.test.js": TEST,
    "users.csv": USERS,
    "saas-management.config.json": `{ "ledger": "state/ledger" }\n`,
    ".env.example": ENVIRONMENT,
    ".gitignore": "node_modules\n.env\nstate\n",
    ".dockerignore": "node_modules\n.env\nstate\n.git\n",
    Dockerfile: DOCKERFILE,
    crontab: crontabOf(name),
    "cronjob.yaml": cronJobOf(name),
    "once.yaml": onceOf(name),
  };
}

const PACKAGE = {
  ...{ version: "0.1.0", private: true, type: "module", engines: { node: ">=20.19" } },
  scripts: { start: "saas-management run connector.js", test: "node --test" },
  dependencies: { "@saas-management/sdk": `^${VERSION}` },
};

const CONNECTOR = `// @ts-check
import { defineConnector } from "@saas-management/sdk";
import { fromCsv } from "@saas-management/sdk/sources";

// Read your source here: an API, a database, a file. Read all pages: missing records are removed.
const users = () =>
  fromCsv(new URL("users.csv", import.meta.url), {
    columns: ["id", "name", "email", "active"],
    map: ({ id, name, email, active }, at) => ({ id, name, email: email || null, active: yesOrNo(active, at) }),
  });

/**
 * Throws for an unknown word: reading it as "no" would deactivate everyone.
 * @param {string} word
 * @param {{ location: string }} at
 */
function yesOrNo(word, { location }) {
  if (word !== "yes" && word !== "no") throw new Error(\`\${location}: active must be yes or no.\`);
  return word === "yes";
}

export const connector = defineConnector({
  snapshots: ["accounts"],
  async run(batch) {
    await batch.write("accounts", users());
  },
});
`;

const TEST = `// @ts-check
import { existsSync } from "node:fs";
import { test } from "node:test";
import { connectorTests, recordVendor } from "@saas-management/sdk/testing";
import { connector } from "./connector.js";

// Runs the connector against a reference server, once for each fault: faults of the API if you have recorded it
// (node connector.test.js --record), or else faults of the connector's records.
const cassette = new URL("vendor.cassette.json", import.meta.url);
if (process.argv.includes("--record")) await recordVendor(connector, { to: cassette });
for (const { name, run } of connectorTests(connector, existsSync(cassette) ? { cassette } : {})) test(name, run);
`;

const USERS = `id,name,email,active
${Array.from({ length: 24 }, (_, i) => `u${i},Person ${i},person.${i}@example.com,${i % 8 === 7 ? "no" : "yes"}\n`).join("")}`;

const ENVIRONMENT = `# Copy to .env; npx saas-management serve prints values for a server on this machine.
${["BASE_URL", "SYNC_URL", "API_KEY", "INSTALLATION_ID"].map((name) => `SAAS_MANAGEMENT_${name}=\n`).join("")}`;

const DOCKERFILE = `FROM node:22-slim
WORKDIR /connector
COPY package*.json ./
RUN npm install --omit=dev
COPY . .
# The ledger must outlive the container: mount a volume there.
RUN mkdir -p state && chown node:node state
VOLUME /connector/state
USER node
# Not npx, which would keep SIGTERM from the run.
ENTRYPOINT ["node_modules/.bin/saas-management"]
CMD ["run", "connector.js"]
`;

const crontabOf = (name: string) => `# Mails the output of a run that fails or is held, as its exit code says.
# Cron looks for Node in /usr/bin and /bin only; otherwise add a line PATH=/usr/local/bin:/usr/bin:/bin here.
17 2 * * *  cd $HOME/${name} && set -a && . ./.env && npx saas-management run connector.js > last-run.log 2>&1 || cat last-run.log
`;

/** A pod that runs the connector, as a field of a Kubernetes resource. */
const podOf = (name: string, args: string) => `restartPolicy: Never
containers:
  - name: connector
    image: ${name}:latest
    args: ${args}
    envFrom:
      - secretRef: { name: ${name} }
    volumeMounts:
      - { name: state, mountPath: /connector/state }
securityContext: { fsGroup: 1000, runAsNonRoot: true, runAsUser: 1000 }
volumes:
  - name: state
    persistentVolumeClaim: { claimName: ${name}-state }
`;

const indented = (text: string, spaces: number) => text.trimEnd().replace(/^/gm, " ".repeat(spaces));

const cronJobOf = (name: string) => `apiVersion: batch/v1
kind: CronJob
metadata:
  name: ${name}
spec:
  schedule: "17 2 * * *"
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 2
      # A held run (80) and one that removed too much (82) need a person; retrying doesn't fix wrong data, keys or
      # configuration.
      podFailurePolicy:
        rules:
          - action: FailJob
            onExitCodes: { operator: In, values: [2, 65, 77, 78, 80, 81, 82] }
      template:
        spec:
${indented(podOf(name, '["run", "connector.js"]'), 10)}
`;

const onceOf = (name: string) => `# kubectl create -f once.yaml says it is the first run.
# Later, args: ["approve", "ID"] lets a held run pass, and ["status"] shows it.
apiVersion: batch/v1
kind: Job
metadata:
  generateName: ${name}-once-
spec:
  backoffLimit: 0
  template:
    spec:
${indented(podOf(name, '["run", "connector.js", "--first-run"]'), 6)}
`;
