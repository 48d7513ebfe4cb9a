import ts from "typescript";

/** What the public declarations must not name: these packages are ours to replace. */
const HIDDEN = ["zod", "@grpc/grpc-js", "graphql-request", "p-retry"] as const;

/** Names by which the types of those packages would be known, where no import tells. */
const TELLTALE =
  /\b(?:Zod[A-Z]\w*|z\.(?:infer|input|output)|ServiceError|ChannelCredentials|GrpcObject|RequestDocument)\b/;

/** Where declarations in one file name what they must hide. */
export function foreignTypes(rollup: string, text: string): readonly string[] {
  const found: string[] = [];
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
    if (HIDDEN.some((name) => fileName === name || fileName.startsWith(`${name}/`))) {
      found.push(`${rollup}: imports ${fileName}`);
    }
  }
  for (const [index, line] of text.split("\n").entries()) {
    const isComment = /^\s*(?:\/?\*|\/\/)/.test(line);
    const name = isComment ? undefined : TELLTALE.exec(line)?.[0];
    if (name !== undefined) found.push(`${rollup}:${index + 1} names ${name}`);
  }
  return found;
}
