/** The records of a contract as the generators see them; read-contract.ts reads them. */
import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import type { DataModel, ShownPart } from "../contract/types.js";
import { type EnumLiteral, enumLiterals } from "./names.js";
import { Refusal } from "./refusal.js";

/** A collection of SyncRecordsRequest. */
export interface Collection {
  /** Name in the SDK, such as `groupMembers`. */
  readonly name: string;
  /** Name in the contract, such as `group_members`. */
  readonly wireName: string;
  /** Field numbers from the request down to the collection's message; `recordsNumber` is its list of records. */
  readonly path: readonly number[];
  readonly recordsNumber: number;
  /** Whether records lack variants: their fields are then in the list, whose number is `generic.number`. */
  readonly isFlat: boolean;
  readonly model: DataModel;
  readonly doc: string;
  readonly record: RecordModel;
  /** The field of a variant that holds the id, such as `sourceId`; undefined if records have no id. */
  readonly idField: string | undefined;
}

/** A message that needs exactly one of its variants. */
export interface VariantModel {
  readonly kind: "variant";
  readonly message: DescMessage;
  readonly doc: string;
  readonly assumed: boolean;
  /** The variant named `generic`, which every record has: users write its fields into the record itself. */
  readonly generic: { readonly number: number; readonly model: FieldsModel } | undefined;
  /** The other variants, which users write as objects under their names. */
  readonly variants: readonly Variant[];
}

export interface Variant {
  readonly name: string;
  readonly number: number;
  readonly doc: string;
  readonly model: FieldsModel;
}

/** A message of plain fields. */
export interface FieldsModel {
  readonly kind: "fields";
  readonly message: DescMessage;
  readonly doc: string;
  readonly assumed: boolean;
  readonly fields: readonly Field[];
  /** Groups of fields; one group must be complete. */
  readonly completeGroups: readonly (readonly string[])[];
}

export type Model = VariantModel | FieldsModel;

export type RecordModel = VariantModel & { readonly generic: NonNullable<VariantModel["generic"]> };

export interface Field {
  readonly name: string;
  readonly number: number;
  readonly doc: string;
  readonly type: FieldType;
  readonly required: boolean;
  /** Encoders write the id first, so that it can be found without reading the other fields. */
  readonly isId: boolean;
  readonly requiredWhen: { readonly field: string; readonly value: string } | undefined;
  /** Names of collections. */
  readonly refersTo: readonly string[];
  readonly shownAs: ShownPart | "id" | undefined;
  readonly drifts: boolean;
}

export type FieldType =
  | { readonly kind: "string"; readonly format: "any" | "decimal" | "currency" }
  | {
      readonly kind: "bool" | "int32" | "int64" | "uint32" | "uint64" | "timestamp" | "strings" | "stringMap";
    }
  | { readonly kind: "enum"; readonly type: DescEnum }
  | { readonly kind: "message"; readonly model: Model };

export interface Contract {
  readonly request: DescMessage;
  readonly collections: readonly Collection[];
  /** Every message that records consist of, each after the messages that it uses. */
  readonly models: readonly Model[];
}

/** Returns the value of a sibling enum that a `required_when` condition names. */
export function conditionOf(model: FieldsModel, condition: NonNullable<Field["requiredWhen"]>): EnumLiteral {
  const sibling = model.fields.find((f) => f.name === condition.field);
  if (sibling?.type.kind !== "enum")
    throw new Refusal(`contract/rules.ts: messages.${model.message.name}: ${condition.field} is not an enum`);
  const literals = enumLiterals(sibling.type.type);
  const literal = literals.find((l) => l.constant === condition.value);
  if (literal === undefined)
    throw new Refusal(
      `contract/rules.ts: messages.${model.message.name}: ${sibling.type.type.name} has no value ${condition.value}, but ${literals.map((l) => l.constant).join(", ")}`,
    );
  return literal;
}
