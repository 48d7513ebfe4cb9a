import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import ts from "typescript";

/** The one package whose types are ours to show: documents of every generator carry their result in it. */
const SHOWN: ReadonlySet<string> = new Set(["@graphql-typed-document-node/core"]);

/** Names by which the types of zod, grpc-js, graphql-request and p-retry would be known, where no import tells. */
const TELLTALE =
  /\b(?:Zod[A-Z]\w*|z\.(?:infer|input|output)|ServiceError|ChannelCredentials|GrpcObject|RequestDocument|FailedAttemptError)\b/;

/** Where declarations in one file name a type of a package that is ours to replace. */
export function foreignTypes(specifier: string, rollup: string): readonly string[] {
  const imports = ts.preProcessFile(rollup, true, true).importedFiles.map(({ fileName }) => fileName);
  const names = rollup.split("\n").flatMap((line, index) => {
    const isComment = /^\s*(?:\/?\*|\/\/)/.test(line);
    const name = isComment ? undefined : TELLTALE.exec(line)?.[0];
    return name === undefined ? [] : [`${specifier}: line ${index + 1} of its declarations names ${name}`];
  });
  return [
    ...imports
      .filter((name) => !SHOWN.has(name))
      .map((name) => `${specifier}: its declarations import ${name}`),
    ...names,
  ];
}

/**
 * Packages that a compiler must load for an entry, although no public symbol names them: by way of a file that
 * declares both something public and something of its own. `@internal` takes the latter out of the declarations.
 */
export async function foreignImports(folder: string, entry: string): Promise<readonly string[]> {
  const found: string[] = [];
  const seen = new Set<string>();
  const visit = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const { importedFiles } = ts.preProcessFile(await readFile(join(folder, file), "utf8"), true, true);
    for (const { fileName } of importedFiles) {
      if (fileName.startsWith(".")) await visit(join(dirname(file), fileName.replace(/\.js$/, ".d.ts")));
      else if (!SHOWN.has(fileName)) found.push(`${file} makes a compiler load ${fileName}`);
    }
  };
  await visit(entry);
  return found;
}
