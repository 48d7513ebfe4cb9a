/**
 * Code for messages whose layout is not the SDK's: ids within other messages, groups of collections, counts that the
 * contract does not have.
 */
import type { DescField } from "@bufbuild/protobuf";
import type { Mapping } from "../contract/types.js";
import type { Contract } from "./model.js";
import { findCollections } from "./roles.js";

export interface Adapter {
  /** The message's name in the SDK; the contract's own message is imported as `Wire…`. */
  readonly name: string;
  /** Other messages that the code refers to. */
  readonly uses: readonly string[];
  readonly code: string;
}

export function adaptersFor(contract: Contract, mapping: Mapping): readonly Adapter[] {
  const { start, sync, complete, abort } = mapping;
  return [
    ...idAdapter("StartSyncBatchRequest", "installationId", start.installationId),
    ...idAdapter("StartSyncBatchResponse", "batchId", start.batchId),
    ...requestAdapter(contract, sync),
    ...(sync.accepted === undefined ? [ACCEPTED] : []),
    ...idAdapter("CompleteSyncBatchRequest", "batchId", complete.batchId),
    ...(complete.snapshots === undefined || complete.events === undefined ? [countsAdapter(complete)] : []),
    ...idAdapter("AbortSyncBatchRequest", "batchId", abort.batchId),
  ];
}

function codec(name: string, toWire: string, fromWire: string): string {
  const uses = (code: string) => /\bmessage\b/.test(code);
  return `export const ${name}: Codec<${name}> = {
  encode: (${uses(toWire) ? "message" : "_message"}, writer) => Wire${name}.encode(${toWire}, writer),
  decode: (input, length) => {
    ${uses(fromWire) ? "const message = " : ""}Wire${name}.decode(input, length);
    return ${fromWire};
  },
};`;
}

function idAdapter(name: string, member: string, path: string): Adapter[] {
  const steps = stepsOf(path);
  if (steps.length === 1) return [];
  const code = `export interface ${name} {
  ${member}: string;
}

${codec(name, nested(name, steps, `message.${member}`), `{ ${member}: message.${steps.join("?.")} ?? "" }`)}`;
  return [{ name, uses: [], code }];
}

/** The fields of a path in camelCase. */
function stepsOf(path: string): readonly string[] {
  return path
    .split(".")
    .map((name) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
}

/** The message with a value at a path; everything else is empty. */
function nested(name: string, steps: readonly string[], value: string): string {
  const [first = "", ...rest] = steps;
  const empty = `Wire${name}.decode(new Uint8Array())`;
  return `{ ...${empty}, ${first}: ${rest.reduceRight((inner, step) => `{ ${step}: ${inner} }`, value)} }`;
}

function requestAdapter({ request, collections }: Contract, { batchId }: Mapping["sync"]): Adapter[] {
  const name = "SyncRecordsRequest";
  const places = findCollections(request).map((place) => {
    const collection = collections.find((each) => each.name === place.field.localName);
    return { ...place, isFlat: collection?.isFlat === true };
  });
  // If the batch id is a field of the request itself, that field already has the SDK's name.
  const steps = batchId.includes(".") ? stepsOf(batchId) : ["batchId"];
  if (steps.length === 1 && places.every(({ path, isFlat }) => path.length === 1 && !isFlat)) return [];
  const members = places.map(({ field, records, isFlat }) => {
    const list = isFlat ? `{ records: Flat<${records.message.name}>[] }` : records.parent.name;
    return `    | { $case: "${field.localName}"; value: ${list} }`;
  });
  const inner = steps.slice(1).reduceRight((value, step) => `{ ${step}: ${value} }`, "batchId");
  const id = steps.length === 1 ? "batchId" : `${steps[0]}: ${inner}`;
  const cases = places.map(
    ({ field, path, isFlat }) => `    case "${field.localName}":
      return { ${id}, ${wrapped(path, isFlat ? "{ records: collection.value.records.flatMap(fieldsOf) }" : "collection.value")} };`,
  );
  const code = `export interface ${name} {
  batchId: string;
  collection:
${members.join("\n")}
    | undefined;
}
${places.some(({ isFlat }) => isFlat) ? FLAT : ""}
${codec(name, "toWire(message)", `{ batchId: message.${steps.join("?.")} ?? "", collection: collectionOf(message) }`)}

function toWire({ batchId, collection }: ${name}): Wire${name} {
  switch (collection?.$case) {
${cases.join("\n")}
    default:
      return { ...Wire${name}.decode(new Uint8Array()), ${id} };
  }
}

function collectionOf(message: Wire${name}): ${name}["collection"] {
  const at0 = message.collection;
${unwrapped(places, 0, "  ")}
}`;
  const uses = places.map(({ records, isFlat }) => (isFlat ? records.message.name : records.parent.name));
  return [{ name, uses, code }];
}

/** A record without variants is read as if it had a generic variant. */
const FLAT = `
interface Flat<Fields> {
  variant: { $case: "generic"; value: Fields } | undefined;
}

function fieldsOf<Fields>({ variant }: Flat<Fields>): Fields[] {
  return variant === undefined ? [] : [variant.value];
}

function flat<Fields>(value: Fields): Flat<Fields> {
  return { variant: { $case: "generic", value } };
}
`;

/** The members of an object literal that holds a value at a path. */
function wrapped([field, ...rest]: readonly DescField[], value: string): string {
  if (field === undefined) return "";
  const inner = rest.length === 0 ? value : `{ ${wrapped(rest, value)} }`;
  return `collection: { $case: "${field.localName}", value: ${inner} }`;
}

interface WrappedPlace {
  readonly path: readonly DescField[];
  readonly isFlat: boolean;
}

/** Statements that return the collection in the oneof `at…`, even if it is in a group. */
function unwrapped(places: readonly WrappedPlace[], depth: number, indent: string): string {
  const at = `at${depth}`;
  const nested = places.filter(({ path }) => path.length > 1);
  const inner = [...new Set(nested.map(({ path: [field] }) => field?.localName))].map((name) => {
    const members = nested.filter(({ path: [field] }) => field?.localName === name);
    const within = members.map(({ path, isFlat }) => ({ path: path.slice(1), isFlat }));
    return `${indent}if (${at}?.$case === "${name}") {
${indent}  const at${depth + 1} = ${at}.value.collection;
${unwrapped(within, depth + 1, `${indent}  `)}
${indent}}`;
  });
  const flat = places.flatMap(({ path: [field, ...rest], isFlat }) => {
    if (!isFlat || rest.length > 0) return [];
    const value = `{ $case: ${at}.$case, value: { records: ${at}.value.records.map(flat) } }`;
    return [`${indent}if (${at}?.$case === "${field?.localName}") return ${value};`];
  });
  return [...inner, ...flat, `${indent}return ${at};`].join("\n");
}

const ACCEPTED: Adapter = {
  name: "SyncRecordsResponse",
  uses: [],
  code: `export interface SyncRecordsResponse {
  acceptedRecords?: bigint | undefined;
}

${codec("SyncRecordsResponse", "message", "{ ...message, acceptedRecords: undefined }")}`,
};

const COUNTS = {
  snapshots: { type: "SnapshotResult", counts: ["added", "updated", "removed"] },
  events: { type: "EventResult", counts: ["accepted"] },
} as const;

function countsAdapter(complete: Mapping["complete"]): Adapter {
  const name = "CompleteSyncBatchResponse";
  const present = Object.keys(COUNTS).filter((list) => list in complete);
  const missing = Object.entries(COUNTS).flatMap(([list, { type, counts }]) => {
    if (list in complete) return [];
    return [
      `export interface ${type} {
  collection: string;
${counts.map((count) => `  ${count}: bigint;`).join("\n")}
}
`,
    ];
  });
  const members = (absent: string) =>
    Object.keys(COUNTS).map((list) => `${list}: ${present.includes(list) ? `message.${list}` : absent}`);
  const sent = members("").filter((member) => !member.endsWith(": "));
  const code = `${missing.join("\n")}
export interface ${name} {
  snapshots: SnapshotResult[];
  events: EventResult[];
}

${codec(name, `{ ${sent.join(", ")} }`, `{ ${members("[]").join(", ")} }`)}`;
  return {
    name,
    uses: Object.entries(COUNTS).flatMap(([list, { type }]) => (list in complete ? [type] : [])),
    code,
  };
}
