/** Finds the collections, messages, fields and enums of a contract that take the place of the present ones. */
import type { DescEnum, DescEnumValue, DescField, DescMessage } from "@bufbuild/protobuf";
import { contractName, GENERIC, Names } from "../../codegen/contract-names.js";
import { similarity } from "../../codegen/nearest.js";
import { type CollectionPlace, collectionsAt, findCollections } from "../../codegen/roles.js";
import { MAPPING } from "../../contract/mapping.js";
import type { FieldRules, Rules } from "../../contract/types.js";
import { type Finding, type FindingKind, mappingKey, ruleKey, type Touched } from "./findings.js";
import { commonFields, matchFields, typeOf } from "./match-fields.js";

/** How much a collection's contents count beside its name, and from which sum on two are the same. */
const CONTENTS = 2;
const SAME_COLLECTION = 0.9;

export interface RecordMatch {
  readonly names: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
  /** SDK names of collections that are not here yet, with their records. */
  readonly added: readonly { readonly name: string; readonly record: DescMessage }[];
  readonly records: readonly DescMessage[];
  /** Present names of the messages whose collections the contract has. */
  readonly ruled: ReadonlySet<string>;
  /** Messages of records that are not here yet. */
  readonly newMessages: readonly DescMessage[];
}

/**
 * @param before The normalized request of the present contract.
 * @param known Names that are decided already.
 */
export function matchRecords(
  before: DescMessage,
  request: DescMessage,
  collections: string,
  known: Readonly<Record<string, string>>,
  rules: Rules,
): RecordMatch {
  const matcher = new Matcher(known, rules);
  const added = matcher.collections(findCollections(before), collectionsAt(request, collections));
  const { names, findings, newMessages, ruled } = matcher;
  const records = collectionsAt(request, collections).map(({ records: { message } }) => message);
  return { names, findings, added, records, newMessages, ruled };
}

class Matcher {
  readonly names: Record<string, string> = {};
  readonly findings: Finding[] = [];
  readonly newMessages: DescMessage[] = [];
  readonly ruled = new Set<string>();
  readonly #known: Names;
  readonly #decided: Readonly<Record<string, string>>;
  readonly #later: DescMessage[] = [];
  readonly #genericNames = new Set<string>();
  readonly #seen = new Set<DescMessage | DescEnum>();

  constructor(
    known: Readonly<Record<string, string>>,
    readonly rules: Rules,
  ) {
    this.#decided = known;
    this.#known = new Names(known);
  }

  readonly #nameOf = (field: DescField): string => this.#known.field(field);

  collections(before: readonly CollectionPlace[], now: readonly CollectionPlace[]) {
    const free = new Set(now);
    const pairs = before.map((place) => ({ place, same: this.#sameCollection(place, free) }));
    for (const { place, same } of pairs) {
      if (same === undefined) {
        const { name } = place.field;
        if (!Object.hasOwn(this.rules.collections, name)) {
          this.#tell("missing", name, "taken away, with the rules of its messages");
          continue;
        }
        this.#tell(
          "missing",
          name,
          "no collection has its fields",
          ruleKey("collections", name),
          `--drop collections.${name} (or --name MESSAGE.FIELD=${name})`,
        );
        continue;
      }
      this.#nameField(place.field, same.field);
      this.#nameType(place.records.parent, same.records.parent, "");
      this.#message(place.records.message, same.records.message);
    }
    for (const { place, same } of pairs) if (same !== undefined) this.#keepRules(place.records.message);
    // A new field may hold a message that another collection matches.
    for (const message of this.#later) this.#newMessage(message);
    return [...free].map(({ field, records }) => {
      const name = this.#nameOf(field);
      this.#nameGeneric(records.message);
      this.#newMessage(records.message);
      return { name, record: records.message };
    });
  }

  #keepRules(message: DescMessage): void {
    if (this.ruled.has(message.name)) return;
    this.ruled.add(message.name);
    for (const field of message.fields) if (field.message !== undefined) this.#keepRules(field.message);
  }

  /** Of a new record, the variant with the name that generic variants have in the contract, or the first. */
  #nameGeneric(record: DescMessage): void {
    const variants = record.oneofs[0]?.fields ?? record.fields.filter(({ message }) => message !== undefined);
    if (variants.some((field) => this.#nameOf(field) === GENERIC)) return;
    const generic = variants.find(({ name }) => this.#genericNames.has(name)) ?? variants[0];
    if (generic !== undefined) this.names[`${contractName(record)}.${generic.name}`] = GENERIC;
  }

  #sameCollection(place: CollectionPlace, free: Set<CollectionPlace>): CollectionPlace | undefined {
    const [best] = [...free]
      .map((candidate) => {
        const name = this.#nameOf(candidate.field);
        const isSame = name === place.field.name;
        const contents = commonFields(place.records.message, candidate.records.message, this.#nameOf);
        return {
          candidate,
          score: isSame ? Infinity : similarity(place.field.name, name) + CONTENTS * contents,
        };
      })
      .sort((a, b) => b.score - a.score);
    if (best === undefined || best.score < SAME_COLLECTION) return undefined;
    free.delete(best.candidate);
    return best.candidate;
  }

  #message(before: DescMessage, now: DescMessage): void {
    if (this.#seen.has(now) || before.typeName.startsWith("google.")) return;
    this.#seen.add(now);
    this.#nameType(before, now, "");
    const { pairs, missing, added } = matchFields(
      before.fields,
      now.fields,
      this.#nameOf,
      MAPPING.assumed !== true,
    );
    const renumbered: string[] = [];
    for (const pair of pairs) {
      this.#nameField(pair.before, pair.now);
      if (pair.before.number !== pair.now.number)
        renumbered.push(`${pair.now.name} ${pair.before.number} → ${pair.now.number}`);
      this.#type(pair.before, pair.now);
      if (pair.before.message !== undefined && pair.now.message !== undefined)
        this.#message(pair.before.message, pair.now.message);
      if (pair.before.enum !== undefined && pair.now.enum !== undefined)
        this.#enum(pair.before.enum, pair.now.enum);
    }
    if (renumbered.length > 0)
      this.#tell("renumbered", contractName(now), `${renumbered.join(", ")}: code generation follows`);
    for (const { before: field, likely } of missing) this.#missing(field, now, likely);
    for (const field of added) {
      if (missing.some(({ likely }) => likely === field)) continue;
      this.#tell(
        "new",
        `${contractName(now)}.${field.name}`,
        `${typeOf(field)} ${field.number}: an optional field`,
      );
      if (field.message !== undefined) this.#later.push(field.message);
    }
  }

  #missing(field: DescField, now: DescMessage, likely: DescField | undefined): void {
    const rule = this.rules.messages[field.parent.name]?.fields?.[field.name];
    const ruled = rule === undefined ? "" : `, and a rule (${describe(rule)}) has no target`;
    const subject = `${contractName(now)}.${field.name}`;
    const touches =
      rule === undefined ? undefined : ruleKey("messages", field.parent.name, "fields", field.name);
    if (likely === undefined) {
      this.#tell(
        rule === undefined ? "missing" : "undecided",
        subject,
        `the contract has no such field${ruled}`,
        touches,
        rule === undefined
          ? undefined
          : `--drop messages.${field.parent.name}.fields.${field.name} (or --name ${contractName(now)}.FIELD=${field.name})`,
      );
      return;
    }
    const meaning = `likely ${likely.name} (${likely.number})${ruled}`;
    const flag = `--name ${contractName(now)}.${likely.name}=${field.name}`;
    this.#tell("undecided", subject, meaning, touches, flag);
  }

  #type(before: DescField, now: DescField): void {
    const [old, type] = [typeOf(before), typeOf(now)];
    if (old === type) return;
    const meaning = `${old} is ${type}: the type of the record's field changes`;
    this.#tell(
      "retyped",
      `${contractName(now.parent)}.${now.name}`,
      meaning,
      ruleKey("messages", before.parent.name),
    );
  }

  #enum(before: DescEnum, now: DescEnum): void {
    if (this.#seen.has(now)) return;
    this.#seen.add(now);
    this.#nameType(before, now, "");
    const prefix = before.sharedPrefix?.toUpperCase() ?? "";
    const named = (value: DescEnumValue) => {
      const decided = this.#known.value(value);
      return decided === value.name ? prefix + value.name.slice((now.sharedPrefix ?? "").length) : decided;
    };
    const byName = new Map(
      now.values.map((value) => [value, before.values.find(({ name }) => name === named(value))]),
    );
    const taken = new Set(byName.values());
    for (const value of now.values) {
      const key = `${contractName(now)}.${value.name}`;
      const same =
        byName.get(value) ?? before.values.find((old) => old.number === value.number && !taken.has(old));
      const name = same?.name ?? named(value);
      if (name !== value.name) this.names[key] = name;
      if (same === undefined) this.#tell("new", key, `${value.number}: a value of the enum`);
      else if (same.number !== value.number)
        this.#tell("renumbered", key, `${same.number} → ${value.number}: code generation follows`);
      else if (byName.get(value) === undefined)
        this.#tell("renamed", key, `the SDK keeps ${name}`, mappingKey("names", key));
    }
    for (const value of before.values)
      if (!now.values.some((v) => (this.names[`${contractName(now)}.${v.name}`] ?? v.name) === value.name))
        this.#tell("missing", `${contractName(now)}.${value.name}`, "records with it no longer compile");
  }

  #newMessage(message: DescMessage): void {
    if (this.#seen.has(message) || message.typeName.startsWith("google.")) return;
    this.#seen.add(message);
    this.newMessages.push(message);
    const name = this.#known.type(message);
    if (name !== new Names({}).type(message)) this.names[contractName(message)] = name;
    this.#tell("new", contractName(message), "a message without rules: all of its fields are optional");
    for (const field of message.fields) if (field.message !== undefined) this.#newMessage(field.message);
  }

  #nameField(before: DescField, now: DescField): void {
    const key = `${contractName(now.parent)}.${now.name}`;
    if (now.name === before.name) return;
    this.names[key] = before.name;
    if (before.name === GENERIC) this.#genericNames.add(now.name);
    if (this.#decided[key] === before.name) return;
    this.#tell("renamed", key, `the SDK keeps ${before.name}`, mappingKey("names", key));
  }

  #nameType(before: DescMessage | DescEnum, now: DescMessage | DescEnum, meaning: string): void {
    const key = contractName(now);
    if (new Names({}).type(now) === before.name) return;
    this.names[key] = before.name;
    if (this.#decided[key] === before.name) return;
    this.#tell("renamed", key, meaning || `the SDK keeps ${before.name}`, mappingKey("names", key));
  }

  #tell(kind: FindingKind, subject: string, meaning: string, touches?: Touched, flag?: string): void {
    this.findings.push({
      kind,
      subject,
      meaning,
      ...(touches === undefined ? {} : { touches }),
      ...(flag === undefined ? {} : { flag }),
    });
  }
}

function describe(rule: FieldRules): string {
  return Object.keys(rule).join(", ");
}
