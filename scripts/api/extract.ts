import { mkdir } from "node:fs/promises";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  ExtractorMessageCategory,
} from "@microsoft/api-extractor";
import { type Entry, ROOT } from "./entries.js";

/** Folder of the committed reports. */
export const REPORTS = `${ROOT}api/`;
const BUILD = `${ROOT}build/api/`;

/** Folder of the declarations that tsc writes. */
export const DECLARATIONS = `${BUILD}types/`;

/** The public surface of one entry. */
export interface Surface {
  /** Whether it differs from the committed report. */
  readonly changed: boolean;
  /** The entry's declarations in one file. */
  readonly rollup: string;
  readonly problems: readonly string[];
}

/** Messages about faults of the surface. The tool's other messages are about its own conventions. */
const FAULTS: ReadonlySet<string> = new Set([
  "ae-undocumented",
  "ae-forgotten-export",
  "ae-incompatible-release-tags",
  "ae-unresolved-link",
  "ae-unresolved-inheritdoc-base",
  "ae-unresolved-inheritdoc-reference",
  "ae-different-release-tags",
  "ae-wrong-input-file-type",
]);

const ACCEPTED = [
  // The base class documents `code`.
  /errors\/[a-z-]+\.ts:\d+ Missing documentation for "code"/,
  // Programs reach the nested types of inputs through the exported filters and orders.
  /^src\/graphql\/generated\/operations\.ts:\d+ The symbol "\w+" needs to be exported/,
  /The symbol "PaginateOptions" needs to be exported/,
  // Members that a record can't have because they belong to another variant.
  /generated\/records\.ts:\d+ Missing documentation/,
];

/** Types that only occur in fields, and base types whose subtypes programs use instead. */
const NOT_EXPORTED: ReadonlySet<string> = new Set([
  "Lease",
  "OnProgress",
  "RemovedRule",
  "WindowRule",
  "AddedRule",
  "SdkError",
  // Files whose errors are exported.
  "common",
  "sync",
  "SyncTuning",
  "TlsOptions",
]);

const declarationsOf = (entry: Entry) => DECLARATIONS + entry.declarations;
const rollupOf = (entry: Entry) => `${BUILD}${entry.name}.d.ts`;

function configOf(entry: Entry): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${ROOT}package.json`,
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: declarationsOf(entry),
      compiler: { tsconfigFilePath: `${ROOT}tsconfig.json` },
      apiReport: {
        enabled: true,
        reportFolder: REPORTS,
        reportTempFolder: `${BUILD}reports/`,
        reportFileName: `${entry.name}.api.md`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: true, untrimmedFilePath: rollupOf(entry) },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      messages: {
        // Keeps all messages out of the report; the callback decides which messages are problems.
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.Warning } },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      },
    },
  });
}

/** Reads the declarations of all entries once. */
export function readAll(entries: readonly Entry[]): CompilerState {
  const [first] = entries;
  if (first === undefined) throw new Error("package.json exports no types.");
  return CompilerState.create(configOf(first), { additionalEntryPoints: entries.map(declarationsOf) });
}

/**
 * Checks one entry; with `write`, also updates its report.
 * @param exported Names that any of the entries exports.
 */
export async function extract(
  entry: Entry,
  compilerState: CompilerState,
  exported: ReadonlySet<string>,
  write: boolean,
): Promise<Surface> {
  await mkdir(REPORTS, { recursive: true });
  const problems: string[] = [];
  const { apiReportChanged } = Extractor.invoke(configOf(entry), {
    compilerState,
    localBuild: write,
    messageCallback: (message) => {
      message.handled = true;
      if (message.category === ExtractorMessageCategory.Compiler || FAULTS.has(message.messageId)) {
        const place = `${message.sourceFilePath?.replace(ROOT, "") ?? entry.specifier}:${message.sourceFileLine ?? 0}`;
        const problem = `${place} ${message.text}`;
        const [, forgotten = ""] = /^The symbol "(\w+)" needs to be exported/.exec(message.text) ?? [];
        if (exported.has(forgotten) || NOT_EXPORTED.has(forgotten)) return;
        if (!ACCEPTED.some((accepted) => accepted.test(problem))) problems.push(problem);
      }
    },
  });
  return { changed: apiReportChanged, rollup: rollupOf(entry), problems };
}
