import { mkdir } from "node:fs/promises";
import {
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  ExtractorMessageCategory,
} from "@microsoft/api-extractor";
import { type Entry, ROOT } from "./entries.js";

/** The folder of the committed reports. */
export const REPORTS = `${ROOT}api/`;
const BUILD = `${ROOT}build/api/`;

/** Where tsc writes the declarations that are looked at. */
export const DECLARATIONS = `${BUILD}types/`;

/** What one entry's public surface is. */
export interface Surface {
  /** Whether the committed report says otherwise. */
  readonly changed: boolean;
  /** Its declarations in one file. */
  readonly rollup: string;
  readonly problems: readonly string[];
}

/** Messages that name a fault of the surface. All others are about the tool's own conventions. */
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

/** What is well as it is. */
const ACCEPTED = [
  // An error's code says nothing of its own in any class: the base class documents it.
  /errors\/[a-z-]+\.ts:\d+ Missing documentation for "code"/,
  // Reached through MutationName, MutationErrorOf and MutationPayloadOf alone.
  /The symbol "MutationPayloads" needs to be exported/,
];

/** Looks at one entry and, where `write` is set, writes its report anew. */
export async function extract(entry: Entry, write: boolean): Promise<Surface> {
  await mkdir(REPORTS, { recursive: true });
  const rollup = `${BUILD}${entry.name}.d.ts`;
  const problems: string[] = [];
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${ROOT}package.json`,
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: DECLARATIONS + entry.declarations,
      compiler: { tsconfigFilePath: `${ROOT}tsconfig.json` },
      apiReport: {
        enabled: true,
        reportFolder: REPORTS,
        reportTempFolder: `${BUILD}reports/`,
        reportFileName: `${entry.name}.api.md`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: true, untrimmedFilePath: rollup },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      messages: {
        // In the callback each has its level; here none goes into the report, which is about the surface alone.
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.Warning } },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      },
    },
  });
  const { apiReportChanged } = Extractor.invoke(config, {
    localBuild: write,
    messageCallback: (message) => {
      message.handled = true;
      if (message.category === ExtractorMessageCategory.Compiler || FAULTS.has(message.messageId)) {
        const place = `${message.sourceFilePath?.replace(ROOT, "") ?? entry.specifier}:${message.sourceFileLine ?? 0}`;
        const problem = `${place} ${message.text}`;
        if (!ACCEPTED.some((accepted) => accepted.test(problem))) problems.push(problem);
      }
    },
  });
  return { changed: apiReportChanged, rollup, problems };
}
