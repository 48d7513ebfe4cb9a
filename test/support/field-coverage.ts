/** Which fields of the contract some records have, and which they lack. */
import protobuf from "protobufjs";

/** The fields that a record has, and `without …` for each that it lacks, by their full names. */
export function* fieldsIn(type: protobuf.Type, form: Readonly<Record<string, unknown>>): Iterable<string> {
  for (const { name, fullName, resolvedType } of type.fieldsArray) {
    const value = form[name];
    yield value === undefined ? `without ${fullName}` : fullName;
    if (isOfRecords(resolvedType) && isForm(value)) yield* fieldsIn(resolvedType, value);
  }
}

/** The same for all that valid records may have and lack. */
export function* possibleFields(type: protobuf.Type): Iterable<string> {
  for (const { fullName, options, repeated, map, resolvedType } of type.fieldsArray) {
    yield fullName;
    const mayLack = repeated || map || options?.["proto3_optional"] === true;
    const required = Object.keys(options ?? {}).some((option) => option.startsWith("(field_rules).required"));
    if (mayLack && !required) yield `without ${fullName}`;
    if (isOfRecords(resolvedType)) yield* possibleFields(resolvedType);
  }
}

function isOfRecords(type: protobuf.ReflectionObject | null): type is protobuf.Type {
  return type instanceof protobuf.Type && !type.fullName.startsWith(".google.");
}

function isForm(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
