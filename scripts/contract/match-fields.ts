/** Pairs the fields of a message with those of the message that takes its place. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { similarity } from "../../codegen/nearest.js";

export interface FieldPair {
  readonly before: DescField;
  readonly now: DescField;
}

export interface FieldMatch {
  readonly pairs: readonly FieldPair[];
  /** Fields without a counterpart, each with the likely one. */
  readonly missing: readonly { readonly before: DescField; readonly likely: DescField | undefined }[];
  readonly added: readonly DescField[];
}

/** Share of the fields with their old names that also have their old numbers, from which on a number tells a field. */
const NUMBERS_KEPT = 0.5;
const LIKELY = 0.34;
/** Share of common field names from which on two messages are taken for the same. */
const SAME_CONTENTS = 0.3;

/** @param numbersAreReal Whether the present numbers are the service's: assumed ones only tell beside a similar name. */
export function matchFields(
  before: readonly DescField[],
  now: readonly DescField[],
  nameOf: (field: DescField) => string,
  numbersAreReal: boolean,
): FieldMatch {
  const byName = before.flatMap((field): FieldPair[] => {
    const same = now.find((candidate) => nameOf(candidate) === field.name);
    return same === undefined ? [] : [{ before: field, now: same }];
  });
  const pairs = [...byName];
  const open = () => before.filter((field) => !pairs.some((pair) => pair.before === field));
  const free = () => now.filter((field) => !pairs.some((pair) => pair.now === field));
  const kept = byName.filter((pair) => pair.before.number === pair.now.number).length;
  const numbersTell = byName.length > 0 && kept / byName.length >= NUMBERS_KEPT;
  const isSame = (field: DescField, candidate: DescField): boolean => {
    const hasNumber = numbersTell && candidate.number === field.number;
    const isTold = numbersAreReal || similarity(field.name, candidate.name) >= LIKELY;
    return (hasNumber && isTold) || sameContents(field, candidate, nameOf);
  };
  for (const field of open()) {
    const same = free().find((candidate) => typeOf(candidate) === typeOf(field) && isSame(field, candidate));
    if (same !== undefined) pairs.push({ before: field, now: same });
  }
  const likely = likelyPairs(open(), free());
  const missing = open().map((field) => ({ before: field, likely: likely.get(field) }));
  return { pairs, missing, added: free() };
}

/** The words of a type as a `.proto` says it, without names. */
export function typeOf(field: DescField): string {
  const single = (type: Type | undefined) => (type === undefined ? "?" : Type[type].toLowerCase());
  if (field.fieldKind === "map") {
    const value = field.mapKind === "scalar" ? single(field.scalar as number as Type) : field.mapKind;
    return `map<${single(field.mapKey as number as Type)}, ${value}>`;
  }
  const own =
    field.message?.typeName.startsWith("google.") === true
      ? field.message.typeName
      : single(field.proto.type);
  return field.fieldKind === "list" ? `repeated ${own}` : own;
}

function sameContents(before: DescField, now: DescField, nameOf: (field: DescField) => string): boolean {
  if (before.message === undefined || now.message === undefined) return false;
  if (before.message.typeName.startsWith("google.")) return false;
  return commonFields(before.message, now.message, nameOf) >= SAME_CONTENTS;
}

/** The share of a message's field names that another one has too, through one oneof or list at most. */
export function commonFields(
  before: DescMessage,
  now: DescMessage,
  nameOf: (field: DescField) => string,
): number {
  const names = new Set(leavesOf(now).map(nameOf));
  const own = leavesOf(before);
  return own.length === 0 ? 0 : own.filter(({ name }) => names.has(name)).length / own.length;
}

/** The fields of a message; of one that only wraps others, those of the others. */
function leavesOf(message: DescMessage, depth = 0): readonly DescField[] {
  const isWrapper = message.fields.every((field) => field.message !== undefined);
  if (!isWrapper || depth > 2) return message.fields;
  return message.fields.flatMap((field) =>
    field.message === undefined ? [] : leavesOf(field.message, depth + 1),
  );
}

/** Each field at most once, the most similar names first; then the only two fields of a message's type. */
function likelyPairs(
  missing: readonly DescField[],
  added: readonly DescField[],
): ReadonlyMap<DescField, DescField> {
  const fits = (field: DescField) => added.filter((candidate) => typeOf(candidate) === typeOf(field));
  const ranked = missing
    .flatMap((field) =>
      fits(field).map((candidate) => ({ field, candidate, score: similarity(field.name, candidate.name) })),
    )
    .filter(({ score }) => score >= LIKELY)
    .sort((a, b) => b.score - a.score);
  const likely = new Map<DescField, DescField>();
  const taken = new Set<DescField>();
  const take = (field: DescField, candidate: DescField) => {
    if (likely.has(field) || taken.has(candidate)) return;
    likely.set(field, candidate);
    taken.add(candidate);
  };
  for (const { field, candidate } of ranked) take(field, candidate);
  for (const field of missing) {
    if (field.message === undefined) continue;
    const [only, ...others] = fits(field);
    const isAlone = missing.filter((other) => typeOf(other) === typeOf(field)).length === 1;
    if (only !== undefined && others.length === 0 && isAlone) take(field, only);
  }
  return likely;
}
