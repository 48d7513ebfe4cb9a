/** Programs with a mistake that the compiler must name. The text of each program is the body of an async function. */
export const WRONG: Readonly<Record<string, string>> = {
  // Records
  "a typo in a field of a record": `await batch.write("accounts", [{ id: "u1", emial: "a@b.c" }]);`,
  "a record without its id": `await batch.write("accounts", [{ name: "Ada" }]);`,
  "a number for an id": `await batch.write("accounts", [{ id: 1 }]);`,
  "null for an id": `await batch.write("accounts", [{ id: null }]);`,
  "a string for a flag": `await batch.write("accounts", [{ id: "u1", active: "yes" }]);`,
  "a generic wrapper": `await batch.write("accounts", [{ generic: { id: "u1" } }]);`,
  "a mistake in the second of two records": `await batch.write("accounts", [{ id: "u1" }, { id: "u2", nam: "Ada" }]);`,
  "two variants in one record": `await batch.write("employees", [{ okta: { id: "o", displayName: "O", login: "o" }, google: { id: "g", fullName: "G", primaryEmail: "g" } }]);`,
  "a field beside a variant": `await batch.write("employees", [{ id: "e1", fullName: "Ada", okta: { id: "o", displayName: "O", login: "o" } }]);`,
  "a variant without a required field": `await batch.write("employees", [{ okta: { id: "o", displayName: "O" } }]);`,
  "a variant that the collection does not have": `await batch.write("employees", [{ slack: { id: "s" } }]);`,
  "an unknown enum value in a record": `await batch.write("plans", [{ id: "p", externalPlanName: "P", details: { model: "SEATS" } }]);`,
  "a record in place of an array": `await batch.write("accounts", { id: "u1" });`,
  "a promise in place of records": `await batch.write("accounts", Promise.resolve([{ id: "u1" }]));`,
  "a function in place of its result": `await batch.write("accounts", () => [{ id: "u1" }]);`,
  "a string in place of records": `await batch.write("accounts", "users.csv");`,
  "an unknown collection": `await batch.write("users", []);`,
  "a collection in its wire spelling": `await batch.write("group_members", []);`,
  "a mapped record with the wrong type": `users.map(({ id }): AccountRecord => ({ id, active: "yes" }));`,
  "a typo in a record in a variable": `const record: AccountRecord = { id: "u1", emial: "a@b.c" };`,
  // Writes and batches
  "an unknown option of a write": `await batch.write("accounts", [], { expectedcount: 1 });`,
  "progress of a write": `await batch.write("accounts", [], { onProgress: () => {} });`,
  "push in place of write": `await batch.writer("accounts").push({ id: "u1" });`,
  "seal in place of end": `await batch.writer("accounts").seal();`,
  "a wrong record for a writer": `await batch.writer("groups").write({ id: "g1", title: "Staff" });`,
  "an unknown option of complete": `await batch.complete({ force: true });`,
  "a made batch": `return new sdk.SyncBatch();`,
  // Connectors and runs
  "an undeclared collection": `await sync.run({ snapshots: ["accounts"], run: (batch) => batch.write("groups", []) });`,
  "complete in a run": `await sync.run({ snapshots: [], run: (batch) => batch.complete() });`,
  "an event collection as a snapshot": `await sync.run({ snapshots: ["usage"], run: (batch) => batch.write("usage", []) });`,
  "a typo in snapshots": `await sync.run({ snapshots: ["acounts"], run: async () => {} });`,
  "a run function that returns nothing": `await sync.run({ snapshots: ["accounts"], run: (batch) => { batch.write("accounts", []); } });`,
  "a generator as the run function": `await sync.run({ snapshots: ["accounts"], async *run(batch) { yield batch.write("accounts", []); } });`,
  "a run function that returns a list of promises": `await sync.run({ snapshots: ["accounts", "groups"], run: (batch) => [batch.write("accounts", []), batch.write("groups", [])] });`,
  "a run function in place of a connector": `await sync.run(async (batch) => {});`,
  "a connector without snapshots": `await sync.run({ run: async () => {} });`,
  "run in place of run's options": `await sync.run({ snapshots: [], run: async () => {} }, { installation: "i1" });`,
  "a connector in a variable that lost its types": `
    const connector = { snapshots: ["accounts"], run: async () => {} };
    await sync.run(connector);`,
  "an undeclared collection in defineConnector": `defineConnector({ snapshots: ["accounts"], run: (batch) => batch.write("devices", []) });`,
  "an unknown field of the context": `await sync.run({ snapshots: [], run: async (batch, context) => context.attempts });`,
  "a batch id in place of options": `await sync.startBatch("i1");`,
  "a list of approvals": `await sync.run({ snapshots: [], run: async () => {} }, { approve: ["a", "b"] });`,
  "false as the ledger": `await sync.run({ snapshots: [], run: async () => {} }, { ledger: false });`,
  "a directory as the ledger": `await sync.run({ snapshots: [], run: async () => {} }, { ledger: "/var/lib/ledger" });`,
  "an unknown guard rule": `await sync.run({ snapshots: [], run: async () => {} }, { guard: { maxremoved: 3 } });`,
  "a guard of an event collection": `await sync.run({ snapshots: [], run: async () => {} }, { guard: { collections: { usage: false } } });`,
  "a preview with a key": `await sync.preview({ snapshots: [], run: async () => {} }, { apiKey: "k" });`,
  "a ledger that is made by hand": `await sync.run({ snapshots: [], run: async () => {} }, { ledger: { location: 3 } });`,
  // Errors
  "a field of another error code": `
    const error: unknown = undefined;
    if (error instanceof SaasManagementError && error.code === "TIMEOUT") return error.retryAfterMs;`,
  "an error code that does not exist": `
    const error: unknown = undefined;
    if (error instanceof SaasManagementError && error.code === "TIME_OUT") return 1;`,
  "a made error": `throw new AuthenticationError("no");`,
  "a misspelled field of a mutation's error": `
    const error: unknown = undefined;
    if (error instanceof MutationError) return error.errors[0]?.mesage;`,
  "a mutation that does not exist": `isMutationError(undefined, "deleteVendor");`,
  "the code of a class": `return TimeoutError.code;`,
  // Client and lists
  "a client without baseUrl": `new GraphQLClient({ apiKey: "k" });`,
  "an option of the Sync API beside sync": `new SaasManagementClient({ apiKey: "k", windowBytes: 1 });`,
  "an installation beside sync": `new SaasManagementClient({ apiKey: "k", installationId: "i1" });`,
  "first in place of limit": `await graphql.licenses({ first: 2 }).toArray();`,
  "a filter that is not under where": `graphql.licenses({ state: { activity: { eq: "UNUSED" } } });`,
  "an enum typo in a filter": `graphql.licenses({ where: { state: { activity: { eq: "UNUSD" } } } });`,
  "an unknown filter": `graphql.applications({ where: { nmae: { eq: "Figma" } } });`,
  "an operator of another kind of field": `graphql.applications({ where: { lastUsed: { startsWith: "2026" } } });`,
  "a value in place of operators": `graphql.applications({ where: { state: "SANCTIONED" } });`,
  "an order by an unknown field": `graphql.licenses({ order: { price: "ASC" } });`,
  "an own document whose connection has edges only": `
    interface Data { readonly all: { readonly edges: readonly object[]; readonly pageInfo: { readonly hasNextPage: boolean } } }
    const document: graphqlSdk.Document<Data, { readonly after?: string }> = "query($after: String) { all(after: $after) { edges { cursor } } }";
    graphql.paginate(document, {}, { select: (data) => data.all });`,
  "an unknown order": `graphql.licenses({ order: { id: "UP" } });`,
  "options in a second object": `graphql.licenses({}, { limit: 20 });`,
  "a limit for toArray": `await graphql.licenses().toArray({ limit: 20 });`,
  "a change to vendors without a filter": `await graphql.changeVendorsState({ state: "SANCTIONED" });`,
  "a wrong variable of an own document": `
    const document: graphqlSdk.Document<{ readonly a: string }, { readonly id: string }> = "query($id: ID!) { a(id: $id) }";
    await graphql.request(document, { id: 1 });`,
  "an unknown field of a license": `for await (const license of graphql.licenses()) return license.price;`,
  "a Date for a calendar date": `await graphql.updateProcurementCase({ id: "p1", deadline: new Date() });`,
  "a mutation without its id": `await graphql.updateProcurementCase({ name: "Figma" });`,
  "a vendor state that does not exist": `await graphql.changeVendorsState({ state: "ARCHIVE" }, "all");`,
  // Sources
  "an undeclared column": `fromCsv("users.csv", { columns: ["id"], map: (row) => ({ id: row.id, email: row.mail }) });`,
  "a CSV file without map": `fromCsv("users.csv", { columns: ["id"] });`,
  "a map in place of the options of a CSV file": `fromCsv("users.csv", (row: object) => row);`,
  "a typo in columns": `fromCsv("users.csv", { colums: ["id"], map: (row) => row });`,
  latin1: `fromCsv("users.csv", { map: (row) => row, encoding: "latin1" });`,
  "a map in place of the options of a JSON Lines file": `fromJsonl("users.jsonl", (value: unknown) => value);`,
  "a page without items": `fromPages(async () => ({ users: [] }));`,
  "a cursor that is a number": `const page: SourcePage<string> = { items: [], next: 2 };`,
  "items that are not records, without map": `await batch.write("accounts", fromPages(async () => ({ items: [{ uid: "u1" }] })));`,
  "an unknown option of fromPages": `fromPages(async () => ({ items: ["u1"] }), { maxpages: 2 });`,
  "an item that does not have the field": `fromPages(async () => ({ items: [{ uid: "u1" }] }), { map: (item) => ({ id: item.id }) });`,
  "located without its records": `located((index: number) => String(index));`,
  // Testing
  "an unknown fault": `server.faults.add({ on: "SyncRecords", fault: "explode" });`,
  "an unknown option of the reference server": `await startReferenceServer({ ports: 1 });`,
  "an unknown collection of an inspection": `return server.inspect().snapshots.users;`,
};
