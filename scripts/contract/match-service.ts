/** Finds which service, methods, fields and oneof of a contract play the parts of mapping.ts. */
import type { DescField, DescMessage, DescMethod, DescService, FileRegistry } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { similarity } from "../../codegen/nearest.js";
import { collectionsAt, plainCollections, type Role, WITHOUT_ONEOF } from "../../codegen/roles.js";
import type { Mapping } from "../../contract/types.js";
import { type Finding, mappingKey } from "./findings.js";

/** Words that name the parts, the present name before them. */
const WORDS = {
  start: ["start", "begin", "open", "create"],
  sync: ["sync", "push", "send", "write", "upload", "ingest"],
  complete: ["complete", "finish", "commit", "finalize", "end", "close"],
  abort: ["abort", "cancel", "discard", "rollback"],
  added: ["added", "created", "inserted", "new"],
  updated: ["updated", "changed", "modified"],
  removed: ["removed", "deleted", "gone"],
  accepted: ["accepted", "received", "stored", "written", "count", "records"],
  collection: ["collection", "name", "kind", "type"],
} as const;

const INTEGERS = new Set([Type.INT32, Type.INT64, Type.UINT32, Type.UINT64]);
const MOST_DEPTH = 2;

export type Parts = Omit<Mapping, "names" | "batchState">;

export interface ServiceMatch {
  readonly parts: Parts;
  readonly findings: readonly Finding[];
}

/** @throws Error if a part that the SDK cannot do without is not found */
export function matchService(registry: FileRegistry, present: Mapping): ServiceMatch {
  const service = findService(registry, present);
  const methods = findMethods(service, present);
  const { start, sync, complete, abort } = methods;
  const batch = (message: DescMessage, known: string, role: string) =>
    pathTo(message, isString, known, ["batch"], role);
  const accepted = optionalPath(
    sync.output,
    isInteger,
    present.sync.accepted ?? "accepted_records",
    WORDS.accepted,
  );
  const parts: Parts = {
    service: service.typeName,
    methods: { start: start.name, sync: sync.name, complete: complete.name, abort: abort.name },
    start: {
      installationId: pathTo(
        start.input,
        isString,
        present.start.installationId,
        ["installation"],
        "start.installationId",
      ),
      batchId: batch(start.output, present.start.batchId, "start.batchId"),
    },
    sync: {
      batchId: batch(sync.input, present.sync.batchId, "sync.batchId"),
      collections: collectionsIn(sync.input),
      ...(accepted === undefined ? {} : { accepted }),
    },
    complete: {
      batchId: batch(complete.input, present.complete.batchId, "complete.batchId"),
      ...countsIn(complete.output),
    },
    abort: { batchId: batch(abort.input, present.abort.batchId, "abort.batchId") },
  };
  return { parts, findings: [...differences(present, parts), ...incompleteCounts(complete.output)] };
}

function findService(registry: FileRegistry, { service, methods }: Mapping): DescService {
  const services = [...registry].filter((desc) => desc.kind === "service");
  const known = services.find(({ typeName }) => typeName === service);
  const streaming = services.filter((one) =>
    one.methods.some((method) => method.methodKind === "client_streaming"),
  );
  const [best] = [...streaming].sort(
    (a, b) => score(b.methods.map(({ name }) => name)) - score(a.methods.map(({ name }) => name)),
  );
  function score(names: readonly string[]): number {
    return Object.values(methods).reduce(
      (sum, name) => sum + Math.max(0, ...names.map((n) => similarity(name, n))),
      0,
    );
  }
  const found = known ?? best;
  if (found === undefined) throw new Error("No service of the contract has a method that streams requests.");
  return found;
}

function findMethods(service: DescService, present: Mapping): Readonly<Record<Role, DescMethod>> {
  const find = (role: Role): DescMethod => {
    const kind = role === "sync" ? "client_streaming" : "unary";
    const candidates = service.methods.filter(({ methodKind }) => methodKind === kind);
    const same = candidates.find(({ name }) => name === present.methods[role]);
    const found = same ?? byWords(candidates, WORDS[role]);
    if (found !== undefined) return found;
    throw new Error(
      `No ${kind} method of ${service.typeName} looks like ${present.methods[role]}; name it in contract/mapping.ts: methods.${role}`,
    );
  };
  return { start: find("start"), sync: find("sync"), complete: find("complete"), abort: find("abort") };
}

function byWords<T extends { readonly name: string }>(
  candidates: readonly T[],
  words: readonly string[],
): T | undefined {
  if (candidates.length === 1) return candidates[0];
  return words.flatMap((word) => candidates.filter(({ name }) => hasWord(name, word)))[0];
}

function hasWord(name: string, word: string): boolean {
  return similarity(name, word) > 0;
}

const isString = (field: DescField) => field.fieldKind === "scalar" && field.proto.type === Type.STRING;
const isInteger = (field: DescField) => field.fieldKind === "scalar" && INTEGERS.has(field.proto.type);

function pathTo(
  message: DescMessage,
  fits: (field: DescField) => boolean,
  known: string,
  words: readonly string[],
  role: string,
): string {
  const path = optionalPath(message, fits, known, words);
  if (path !== undefined) return path;
  throw new Error(
    `${message.typeName} has no field that looks like ${known}; name it in contract/mapping.ts: ${role}`,
  );
}

/** The path of the field with the known name, of the only one, or of the one with the first of the words. */
function optionalPath(
  message: DescMessage,
  fits: (field: DescField) => boolean,
  known: string,
  words: readonly string[],
): string | undefined {
  const paths = [...fieldPaths(message)].filter(({ field }) => fits(field));
  const named = paths.find(({ path }) => path === known) ?? paths.find(({ field }) => field.name === known);
  const first = words.flatMap((word) =>
    paths.filter(({ path }) => hasWord(path.replaceAll(".", "_"), word)),
  )[0];
  return (named ?? first ?? (paths.length === 1 ? paths[0] : undefined))?.path;
}

/** Fields of a message and of those within it, not of oneofs. */
function* fieldPaths(
  message: DescMessage,
  above = "",
  depth = 0,
): Iterable<{ readonly path: string; readonly field: DescField }> {
  for (const field of message.fields) {
    if (field.oneof !== undefined) continue;
    const path = `${above}${field.name}`;
    yield { path, field };
    if (field.fieldKind === "message" && depth < MOST_DEPTH)
      yield* fieldPaths(field.message, `${path}.`, depth + 1);
  }
}

/** Where most collections are, in the request or a message within it: in a oneof, or in fields without one. */
function collectionsIn(request: DescMessage): string {
  const paths = [...candidates(request, "", 0)];
  const [most] = paths
    .map((path) => ({ path, count: countAt(request, path) }))
    .sort((a, b) => b.count - a.count);
  if (most !== undefined && most.count > 0) return most.path;
  // Says which member is not a collection.
  for (const path of paths) collectionsAt(request, path);
  throw new Error(
    `${request.typeName} has no collections that the SDK can write: each must be a message with a list of records, all of them in a oneof or fields of one message`,
  );
}

function countAt(request: DescMessage, path: string): number {
  try {
    return collectionsAt(request, path).length;
  } catch {
    return 0;
  }
}

function* candidates(message: DescMessage, above: string, depth: number): Iterable<string> {
  for (const oneof of message.oneofs) yield `${above}${oneof.name}`;
  for (const field of message.fields)
    if (field.oneof === undefined && field.fieldKind === "message" && depth < MOST_DEPTH)
      yield* candidates(field.message, `${above}${field.name}.`, depth + 1);
  if (plainCollections(message).length > 0) yield `${above}${WITHOUT_ONEOF}`;
}

const SNAPSHOT_COUNTS = ["added", "updated", "removed"] as const;

/** The lists of an answer, with what their entries have of a collection and its counts. */
function listsIn(answer: DescMessage) {
  const partIn = (entry: DescMessage, part: keyof typeof WORDS) => {
    const fits = part === "collection" ? isString : isInteger;
    const fields = entry.fields.filter(fits);
    return fields.length === 1 && part === "collection"
      ? fields[0]?.name
      : WORDS[part].flatMap((word) => fields.filter(({ name }) => hasWord(name, word)))[0]?.name;
  };
  return answer.fields.flatMap((field) => {
    if (field.fieldKind !== "list" || field.listKind !== "message") return [];
    const { message: entry } = field;
    return {
      list: field.name,
      collection: partIn(entry, "collection"),
      added: partIn(entry, "added"),
      updated: partIn(entry, "updated"),
      removed: partIn(entry, "removed"),
      accepted: partIn(entry, "accepted"),
    };
  });
}

/** The lists whose entries have all counts. */
function countsIn(answer: DescMessage): Pick<Mapping["complete"], "snapshots" | "events"> {
  let found: Pick<Mapping["complete"], "snapshots" | "events"> = {};
  for (const { list, collection, added, updated, removed, accepted } of listsIn(answer)) {
    if (collection === undefined) continue;
    if (added !== undefined && updated !== undefined && removed !== undefined)
      found = { ...found, snapshots: { list, collection, added, updated, removed } };
    else if (removed === undefined && accepted !== undefined)
      found = { ...found, events: { list, collection, accepted } };
  }
  return found;
}

/** Lists of which the SDK reads nothing because something is missing. */
function incompleteCounts(answer: DescMessage): Finding[] {
  return listsIn(answer).flatMap((entry): Finding[] => {
    const lacks = [...SNAPSHOT_COUNTS, "collection" as const].filter((part) => entry[part] === undefined);
    const isOther = lacks.length === 0 || entry.removed === undefined;
    if (isOther) return [];
    const meaning = `its entries have no ${lacks.join(" and no ")}, so the SDK reads none of its counts`;
    return [{ kind: "left out", subject: `${answer.name}.${entry.list}`, meaning }];
  });
}

/** The parts that have other names now. */
function differences(present: Mapping, parts: Parts): Finding[] {
  const now = flat(parts);
  const before = flat(present);
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((key): Finding[] => {
    const [old, name] = [before.get(key), now.get(key)];
    if (old === name || key.startsWith("names.") || key === "batchState") return [];
    const touches = mappingKey(...key.split("."));
    // The list stands for its fields too.
    if ((old === undefined || name === undefined) && /^complete\.\w+\.(?!list)/.test(key)) return [];
    if (name === undefined)
      return [
        {
          kind: "missing",
          subject: `${key} (${old})`,
          meaning: "the contract has none; the SDK does without",
          touches,
        },
      ];
    if (old === undefined)
      return [{ kind: "new", subject: `${key} (${name})`, meaning: "the SDK reads it", touches }];
    return [{ kind: "renamed", subject: `${old} is ${name}`, meaning: `plays the part ${key}`, touches }];
  });
}

function flat(value: object, above = ""): Map<string, string> {
  return new Map(
    Object.entries(value).flatMap(([name, part]): [string, string][] =>
      typeof part === "string" ? [[`${above}${name}`, part]] : [...flat(part, `${above}${name}.`)],
    ),
  );
}
