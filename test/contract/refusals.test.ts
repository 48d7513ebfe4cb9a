/** What code generation refuses: each refusal is a sentence that says where. */
import { clone, create, createFileRegistry } from "@bufbuild/protobuf";
import {
  Edition,
  FeatureSet_MessageEncoding,
  FieldOptionsSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { normalize, normalizedRequest } from "../../codegen/normalize.js";
import { readContract } from "../../codegen/read-contract.js";
import type { FieldRules, MessageRules } from "../../contract/types.js";
import { type ContractFixture, FLAT, NESTED, PRESENCE } from "./fixtures.js";
import { originalsOf } from "./generated.js";

/** Reads a contract as code generation does. @returns the names of its collections */
function read({ mapping, rules }: ContractFixture, files: FileDescriptorSet): readonly string[] {
  const normalized = normalize(createFileRegistry(files), mapping, rules);
  return readContract(normalizedRequest(normalized), rules).collections.map(({ name }) => name);
}

type Edit = (file: FileDescriptorProto) => void;

/** A copy of a contract with a change to its own files. */
function edited(contract: ContractFixture, edit: Edit = () => {}): FileDescriptorSet {
  const file = Array.from(originalsOf(contract).files, ({ proto }) =>
    clone(FileDescriptorProtoSchema, { ...proto, sourceCodeInfo: undefined }),
  );
  for (const each of file) if (!each.name.startsWith("google/")) edit(each);
  return create(FileDescriptorSetSchema, { file });
}

/** The field `Message.name`, or `Message.Nested.name`. */
function fieldIn(file: FileDescriptorProto, path: string) {
  const names = path.split(".");
  const name = names.pop();
  const inner = names.reduce(
    (messages, message) =>
      messages
        .filter((each) => each.name === message)
        .flatMap((each) => (message === names.at(-1) ? each : each.nestedType)),
    file.messageType,
  );
  const field = inner.flatMap((message) => message.field).find((each) => each.name === name);
  if (field === undefined) throw new Error(`no ${path}`);
  return field;
}

const set =
  (path: string, change: object): Edit =>
  (file) =>
    void Object.assign(fieldIn(file, path), change);

const rules = (contract: ContractFixture, messages: Readonly<Record<string, MessageRules>>) => ({
  ...contract,
  rules: { ...contract.rules, messages: { ...contract.rules.messages, ...messages } },
});

/** A contract with different rules for one field, or with none. */
function ruled(
  contract: ContractFixture,
  message: string,
  field: string,
  rule: FieldRules = {},
): ContractFixture {
  const before = contract.rules.messages[message];
  return rules(contract, { [message]: { ...before, fields: { ...before?.fields, [field]: rule } } });
}

const collections = (change: ContractFixture["rules"]["collections"]): ContractFixture => ({
  ...FLAT,
  rules: { ...FLAT.rules, collections: change },
});
const mapped = (contract: ContractFixture, change: Partial<ContractFixture["mapping"]>) => ({
  ...contract,
  mapping: { ...contract.mapping, ...change },
});
const { costs: _, ...withoutCosts } = FLAT.rules.collections;
const ID = { id: true, required: true } as const;

type Refused = [what: string, contract: ContractFixture, refusal: string, edit?: Edit];

const REFUSALS: readonly Refused[] = [
  [
    "a delimited message",
    FLAT,
    "field flat.v2.Login.place: the SDK cannot carry delimited messages. Leave the field out in contract/rules.ts: { leftOut: true }",
    (file) => {
      file.syntax = "editions";
      file.edition = Edition.EDITION_2023;
      const features = { messageEncoding: FeatureSet_MessageEncoding.DELIMITED };
      fieldIn(file, "Login.place").options = create(FieldOptionsSchema, { features });
    },
  ],
  [
    "a group",
    ruled(PRESENCE, "PersonGeneric", "home"),
    "field presence.Person.Generic.home: the SDK cannot carry delimited",
  ],
  [
    "a map of numbers",
    FLAT,
    "Login.attributes: the SDK cannot carry map<string, int32>. Leave the field out: contract/rules.ts, messages.Login.fields.attributes: { leftOut: true }",
    set("Login.AttributesEntry.value", { type: Type.INT32 }),
  ],
  ["a double", ruled(FLAT, "Login", "score"), "Login.score: the SDK cannot carry double. Leave"],
  [
    "a list of messages",
    FLAT,
    "Login.roles: the SDK cannot carry repeated flat.v2.Place. Leave",
    set("Login.roles", { type: Type.MESSAGE, typeName: ".flat.v2.Place" }),
  ],
  [
    "a oneof of values",
    ruled(FLAT, "Login", "phone"),
    "field flat.v2.Login.email: the SDK cannot carry a oneof of values.",
  ],
  [
    "a message that contains itself",
    FLAT,
    "Place: the SDK cannot carry a message that contains itself",
    set("Place.nothing", { typeName: ".flat.v2.Place" }),
  ],
  [
    "an enum with negative numbers",
    FLAT,
    "State: the SDK cannot carry an enum with aliases or negative numbers",
    (file) => void Object.assign(file.enumType[0]?.value[1] ?? {}, { number: -1 }),
  ],
  [
    "an amount that is a number",
    ruled(FLAT, "Cost", "micros", { format: "decimal" }),
    "contract/rules.ts: messages.Cost.fields.micros: format: the field is int64, and a decimal is a string",
  ],
  [
    "a record of a snapshot without an id",
    ruled(FLAT, "Login", "key"),
    "contract/rules.ts: messages.Login: which field is the id? Records of a snapshot need one: { id: true, required: true }",
  ],
  [
    "an id that is a number",
    ruled(ruled(FLAT, "Login", "key"), "Login", "badge_number", ID),
    "fields.badge_number: an id is a required string",
  ],
  [
    "variants with different ids",
    ruled(PRESENCE, "PersonContractor", "id", { required: true }),
    "the variants PersonGeneric, PersonContractor of Person need the same id: true",
  ],
  [
    "variants of which none is generic",
    mapped(PRESENCE, { names: { "Person.generic": "usual" } }),
    "Person: one of the variants usual, contractor must be the SDK's generic: contract/mapping.ts, names",
  ],
  [
    "a variant with the name of a field",
    PRESENCE,
    "Person: the variant contractor has the name of a field of the generic variant.",
    set("Person.Generic.active", { name: "contractor", jsonName: "contractor" }),
  ],
  [
    "a collection that nobody named",
    collections(withoutCosts),
    'contract/rules.ts: collections.costs: is it a "snapshot", an "event", or "left out"?',
  ],
  [
    "a bare list of records",
    FLAT,
    "flat.v2.PushRequest.labels: the SDK needs a message with a list of records here",
    set("PushRequest.labels", { type: Type.MESSAGE, typeName: ".flat.v2.Login" }),
  ],
  [
    "two lists in a collection",
    FLAT,
    "flat.v2.Logins has more than one list of messages",
    set("Logins.cursor", { type: Type.MESSAGE, typeName: ".flat.v2.Place", label: Label.REPEATED }),
  ],
  [
    "a field that the contract requires",
    ruled(PRESENCE, "PersonGeneric", "name"),
    "field presence.Person.Generic.name is required by the contract: contract/rules.ts, messages.PersonGeneric.fields.name: { required: true }",
  ],
  [
    "a field that the SDK cannot send",
    PRESENCE,
    "field presence.Batch.region is required by the contract, and the SDK does not send it",
    set("Batch.region", { label: Label.REQUIRED }),
  ],
  [
    "a rule for no collection",
    collections({ ...FLAT.rules.collections, teams: "event" }),
    "contract/rules.ts: collections.teams: the contract has no such collection",
  ],
  [
    "a rule for no message",
    rules(FLAT, { Team: { assumed: true } }),
    "contract/rules.ts: messages.Team: the contract has no such message of a record",
  ],
  [
    "a rule for no field",
    ruled(FLAT, "Login", "full_name", ID),
    "contract/rules.ts: messages.Login.full_name: the contract has no such field",
  ],
  [
    "nothing to leave out",
    ruled(FLAT, "Login", "age", { leftOut: true }),
    "contract/rules.ts: messages.Login.age: the contract has no such field",
  ],
  [
    "a reference to no collection",
    ruled(FLAT, "Usual", "actor", { refersTo: ["people"] }),
    "contract/rules.ts: messages.Usual.actor: refersTo people: the contract has no such collection",
  ],
  [
    "a group of unknown fields",
    rules(FLAT, { Cost: { completeGroups: [["amount", "currency"]] } }),
    "contract/rules.ts: messages.Cost: the contract has no field currency",
  ],
  [
    "a condition of an unknown value",
    ruled(FLAT, "Login", "place", { requiredWhen: { field: "state", value: "STATE_AWAY" } }),
    "contract/rules.ts: messages.Login: State has no value STATE_AWAY, but STATE_ACTIVE, STATE_GONE",
  ],
  [
    "a method that is not there",
    mapped(FLAT, { methods: { ...FLAT.mapping.methods, complete: "Finish" } }),
    "contract/mapping.ts: methods.complete: flat.v2.Ingest has no method Finish; it has Open, Push, Close, Cancel",
  ],
  [
    "a method of another kind",
    mapped(FLAT, { methods: { ...FLAT.mapping.methods, start: "Push" } }),
    "contract/mapping.ts: methods.start: Push must be unary",
  ],
  [
    "a part that is not there",
    mapped(FLAT, { abort: { batchId: "batch_id" } }),
    "contract/mapping.ts: abort.batchId: flat.v2.CloseRequest has no field batch_id; it has batch",
  ],
  [
    "a name for a value without its enum",
    mapped(FLAT, { names: { ...FLAT.mapping.names, STATE_GONE: "STATE_AWAY" } }),
    "contract/mapping.ts: names: the contract has no STATE_GONE; delete this line",
  ],
  [
    "two messages of one name",
    mapped(FLAT, { names: { ...FLAT.mapping.names, Cost: "Login" } }),
    "contract/mapping.ts: names: flat.v2.Login and flat.v2.Cost are both named Login",
  ],
];

test.each<Refused>(REFUSALS)("code generation refuses %s", (_, contract, refusal, edit) => {
  expect(() => read(contract, edited(contract, edit))).toThrow(refusal);
});

test.each<[ContractFixture, readonly string[]]>([
  [FLAT, ["accounts", "usage", "costs"]],
  [PRESENCE, ["employees", "devices"]],
])("code generation accepts the contracts unchanged: %#", (contract, names) => {
  expect(read(contract, edited(contract))).toEqual(names);
});

test("code generation reports all faults of the mapping in one run, and says what to do about each", () => {
  const events = { list: "events", collection: "collection", accepted: "accepted" };
  const wrong = mapped(FLAT, {
    start: { installationId: "installation_id", batchId: "batch_id" },
    sync: { batchId: "batch", accepted: "accepted_records" },
    complete: { batchId: "batch", events },
    abort: { batchId: "batch_id" },
  });
  expect(refusalsOf(wrong)).toEqual([
    "contract/mapping.ts: start.installationId: flat.v2.OpenRequest has no field installation_id; it has installation",
    "contract/mapping.ts: start.batchId: flat.v2.OpenReply has no field batch_id; it has batch",
    "contract/mapping.ts: sync.accepted: flat.v2.PushReply has no field accepted_records; it has accepted; if none of them is a count, delete this line, accepted",
    "contract/mapping.ts: complete.events.list: flat.v2.CloseReply has no field events; it has none; if none of them is a count, delete this block, events",
    "contract/mapping.ts: abort.batchId: flat.v2.CloseRequest has no field batch_id; it has batch",
  ]);
  expect(refusalsOf(mapped(FLAT, { service: "flat.v1.Ingest", abort: { batchId: "id" } }))).toEqual([
    "contract/mapping.ts: service: there is no service flat.v1.Ingest; it has flat.v2.Ingest",
    "contract/mapping.ts: abort.batchId: flat.v2.CloseRequest has no field id; it has batch",
  ]);
  const methods = { start: "Start", sync: "Push", complete: "Push", abort: "Abort" };
  expect(refusalsOf(mapped(FLAT, { methods })).map((line) => line.split(": ")[1])).toEqual([
    "methods.start",
    "methods.complete",
    "methods.abort",
  ]);
});

test("code generation reports stale rules together with their consequences", () => {
  const renamed = mapped(NESTED, { names: { "Employee.Microsoft": "DirectoryEmployee" } });
  expect(refusalsOf(renamed)).toEqual([
    "contract/rules.ts: the variants EmployeeGeneric, DirectoryEmployee of Employee need the same id: true, or none",
    "contract/rules.ts: messages.EmployeeMicrosoft: the contract has no such message of a record; delete this block",
  ]);
});

test("names the message that now has a stale rule's fields when it refuses the rule", () => {
  const { Cost: _, ...others } = FLAT.rules.messages;
  const fields = { amount: { required: true }, micros: { required: true }, unit: { drifts: true } } as const;
  const messages = { ...others, Price: { fields } };
  const stale = { ...FLAT, rules: { ...FLAT.rules, messages } };
  expect(refusalsOf(stale)).toContain(
    'contract/rules.ts: messages.Price: the contract has no such message of a record; if Cost is it, contract/mapping.ts, names: { "Cost": "Price" }; otherwise delete this block',
  );
});

function refusalsOf(contract: ContractFixture): readonly string[] {
  try {
    read(contract, edited(contract));
    return [];
  } catch (error) {
    return error instanceof Error ? error.message.split("\n") : [];
  }
}

test("code generation reports all of its refusals at once", () => {
  const several = ruled(ruled(FLAT, "Login", "score"), "Login", "key");
  expect(() => read(several, edited(several))).toThrow(/Login\.score: .*\n.*Login: which field is the id\?/);
});
