/** What adopting a folder of `.proto` files would change. */
import { createFileRegistry, type DescField, type DescMessage, type FileRegistry } from "@bufbuild/protobuf";
import { readProtoFiles } from "../../codegen/contract-files.js";
import { Names } from "../../codegen/contract-names.js";
import { normalize } from "../../codegen/normalize.js";
import { readContract } from "../../codegen/read-contract.js";
import { passedOver } from "../../codegen/roles.js";
import { MAPPING } from "../../contract/mapping.js";
import { RULES } from "../../contract/rules.js";
import type {
  DataModel,
  FieldRules,
  Mapping,
  MessageRules,
  Rules,
  ScalarKind,
} from "../../contract/types.js";
import { type Finding, ruleKey } from "./findings.js";
import { matchRecords, type RecordMatch } from "./match-records.js";
import { matchService } from "./match-service.js";

/** What flags decide. */
export interface Decisions {
  /** The SDK's names, by names of the contract. */
  readonly names: Readonly<Record<string, string>>;
  readonly models: Readonly<Record<string, DataModel>>;
  /** Rules to take away, such as `messages.Group.fields.name`. */
  readonly drop: readonly string[];
  readonly scalars: Readonly<Record<string, ScalarKind>>;
  /** Whether likely counterparts are taken. */
  readonly likely: boolean;
}

export interface Plan {
  readonly mapping: Mapping;
  readonly rules: Rules;
  readonly findings: readonly Finding[];
}

export function planProto(folder: string, decisions: Decisions): Plan {
  const present = createFileRegistry(normalize(readProtoFiles("proto"), MAPPING, RULES));
  const registry = readProtoFiles(folder);
  const service = matchService(registry, MAPPING);
  const rules = dropRules(RULES, decisions.drop);
  const match = (names: Readonly<Record<string, string>>) =>
    matchRecords(
      requestIn(present),
      inputOf(registry, service.parts),
      service.parts.sync.collections,
      names,
      rules,
    );
  let records = match({ ...MAPPING.names, ...decisions.names });
  if (decisions.likely) {
    const likely = records.findings.flatMap(({ flag }) =>
      flag?.startsWith("--name ") ? [flag.slice(7)] : [],
    );
    records = match({ ...MAPPING.names, ...decisions.names, ...Object.fromEntries(likely.map(splitName)) });
  }
  const differs = service.findings.length + records.findings.length > 0;
  const mapping: Mapping = {
    ...(MAPPING.assumed && !differs ? { assumed: true } : {}),
    ...service.parts,
    batchState: MAPPING.batchState,
    names: records.names,
  };
  const models = modelsOf(records.added, decisions.models);
  const kept = Object.entries(rules.messages).filter(([name]) => records.ruled.has(name));
  return {
    mapping,
    rules: {
      collections: { ...rules.collections, ...models.collections },
      messages: { ...Object.fromEntries(kept), ...rulesOfNew(mapping, rules, records) },
    },
    findings: [...service.findings, ...records.findings, ...models.findings],
  };
}

/** Fields that are not written, because the SDK has no encoding for their types. */
export function leftOut(folder: string, { mapping, rules }: Plan): readonly string[] {
  const beside: string[] = [];
  const note = (field: DescField) =>
    void beside.push(`${field.toString()}: it is beside the variants of its message`);
  const registry = createFileRegistry(normalize(readProtoFiles(folder), mapping, rules, note));
  const request = inputOf(readProtoFiles(folder), mapping);
  const passed = passedOver(request, mapping.sync.collections).map(
    (field) =>
      `${field.toString()}: not written: a collection is a message with a list of records, which have a message for each variant`,
  );
  return [...passed, ...beside, ...readContract(requestIn(registry), rules).unsupported];
}

export function splitName(pair: string): readonly [string, string] {
  const [key = "", name = ""] = pair.split("=");
  return [key, name];
}

function requestIn(registry: FileRegistry): DescMessage {
  for (const desc of registry) if (desc.kind === "message" && desc.name === "SyncRecordsRequest") return desc;
  throw new Error("The normalized contract has no SyncRecordsRequest.");
}

function inputOf(
  registry: FileRegistry,
  { service, methods }: Pick<Mapping, "service" | "methods">,
): DescMessage {
  const method = registry.getService(service)?.methods.find(({ name }) => name === methods.sync);
  if (method === undefined) throw new Error(`${service} has no method ${methods.sync}.`);
  return method.input;
}

function dropRules(rules: Rules, drop: readonly string[]): Rules {
  const dropped = new Set(drop);
  const kept = <T>(entries: Readonly<Record<string, T>>, above: string) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => !dropped.has(`${above}${name}`)));
  const messages = Object.entries(kept(rules.messages, "messages.")).map(([name, { fields, ...rest }]) => [
    name,
    fields === undefined ? rest : { ...rest, fields: kept(fields, `messages.${name}.fields.`) },
  ]);
  return { collections: kept(rules.collections, "collections."), messages: Object.fromEntries(messages) };
}

type Added = readonly { readonly name: string; readonly record: DescMessage }[];

function modelsOf(added: Added, models: Readonly<Record<string, DataModel>>) {
  const findings = added.map(({ name, record }): Finding => {
    const model = models[name];
    const subject = `collection ${name} of ${record.name}`;
    const touches = ruleKey("collections", name);
    if (model !== undefined) return { kind: "new", subject, meaning: `a ${model} collection`, touches };
    const flag = `--model ${name}=snapshot`;
    return {
      kind: "undecided",
      subject,
      meaning: "a snapshot, or events?",
      touches,
      flag: `${flag} (or =event)`,
    };
  });
  const decided = added.flatMap(({ name }) =>
    models[name] === undefined ? [] : [[name, models[name]] as const],
  );
  return { findings, collections: Object.fromEntries(decided) };
}

/** A new message with a oneof has exactly one variant; a new variant of a record an id, if a field looks like one. */
function rulesOfNew(
  mapping: Mapping,
  present: Rules,
  { newMessages, added, records }: RecordMatch,
): Record<string, MessageRules> {
  const names = new Names(mapping.names);
  const rules: Record<string, MessageRules> = {};
  const withOneof = newMessages.filter(({ oneofs }) => oneofs.length > 0);
  for (const message of [...withOneof, ...added.map(({ record }) => record)])
    rules[names.type(message)] = { ...present.messages[names.type(message)], exactlyOne: true };
  for (const { message: variant } of records.flatMap(({ fields }) => fields)) {
    const id = variant?.fields.find((field) => ID_NAMES.has(field.name));
    if (variant === undefined || id === undefined || !newMessages.includes(variant)) continue;
    const fields: Record<string, FieldRules> = { [names.field(id)]: { id: true, required: true } };
    rules[names.type(variant)] = { ...present.messages[names.type(variant)], fields };
  }
  return rules;
}

const ID_NAMES: ReadonlySet<string> = new Set(["id", "source_id"]);
