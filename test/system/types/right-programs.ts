/**
 * Programs that must compile even where settings or compilers differ. The docs' snippets and the consumers cover the
 * rest. Each is the body of an async function, with the package's names in scope.
 */
export const RIGHT: Readonly<Record<string, string>> = {
  "a field may be undefined": `
    await batch.write("accounts", users.map(({ id, mail }) => ({ id, email: mail })));`,
  "records of several variants in one array": `
    await batch.write("employees", [
      { id: "e1", fullName: "Ada" },
      { okta: { id: "o1", displayName: "Grace", login: "grace" } },
    ]);`,
  "null for optional fields, and arrays of arrays": `
    await batch.write("accounts", [[{ id: "a", name: null, email: undefined, details: null }]]);`,
  "a function that returns a record of a variant": `
    const toRecord = (id: string): EmployeeRecord => ({ google: { id, fullName: "Ada", primaryEmail: "a@b.c" } });
    await batch.write("employees", ["g1"].map(toRecord));`,
  "choices in a generator, as the guide shows": `
    async function* plans(): AsyncGenerator<RecordOf<"plans">> {
      yield { id: "p1", externalPlanName: "Pro", details: { model: "SEAT_BASED", seatBased: { paidSeats: 5 } } };
    }
    await batch.write("plans", plans());
    await batch.write("plans", (function* () {
      yield { id: "p2", externalPlanName: "Team", details: { model: "SEAT_BASED", seatBased: { paidSeats: 5 } } } as const;
    })());`,
  "a readonly array in a variable": `
    const accounts: readonly AccountRecord[] = [account];
    const source: RecordSource<AccountRecord> = accounts;
    await batch.write("accounts", source, { expectedCount: 1, signal: new AbortController().signal });`,
  "options that may be undefined": `
    const expectedCount: number | undefined = Math.random() > 1 ? 1 : undefined;
    await batch.write("accounts", [], { expectedCount, signal: undefined });`,
  "the stats of a write": `
    const { sent, accepted, alreadyAccepted, bytes, messages, windows, retries, sourceWaitMs, serverWaitMs } = await batch.write("usage", []);
    const total: number = sent + accepted + alreadyAccepted + bytes + messages + windows + retries + sourceWaitMs + serverWaitMs;
    return total;`,
  "writers of two collections": `
    const groups = batch.writer("groups");
    const members: CollectionWriter<"groupMembers"> = batch.writer("groupMembers", { expectedCount: 1 });
    await groups.write({ id: "g1", name: "Staff" });
    await groups.write([{ id: "g2", name: "Guests" }]);
    const stats: WriteStats = await groups.end();
    await members.end();
    return stats.accepted;`,
  "a helper that takes the batch of a run": `
    const writeAccounts = (batch: RunBatch<"accounts">, context: RunContext) => batch.write("accounts", [], { signal: context.signal });
    await sync.run({ snapshots: ["accounts"], run: writeAccounts });`,
  "a switch over error codes": `
    try { await batch.complete(); } catch (error) {
      if (!(error instanceof SaasManagementError)) throw error;
      switch (error.code) {
        case "RATE_LIMITED": return error.retryAfterMs ?? 0;
        case "INVALID_INPUT": return error.issues.length;
        case "BATCH_STATE": return error.reason.length;
        case "TIMEOUT": return error.timeoutMs;
        case "BATCH_IN_PROGRESS": return error.waitedMs;
        case "INTERRUPTED": return error.signalName.length;
        default: return error.attempts;
      }
    }`,
  "an instanceof of one class": `
    const error: unknown = undefined;
    if (error instanceof RateLimitError) return error.retryAfterMs;
    if (error instanceof BatchStateError) return error.reason === "expired" ? undefined : error.state;
    if (error instanceof TimeoutError) return error.timeoutMs;
    return (error as Error).message;`,
  "options of a list": `
    for await (const license of graphql.licenses({ where: { state: { activity: { eq: "UNUSED" } } }, limit: 20, pageSize: 10, from: "end", prefetch: true })) return license.id;`,
  "filters and orders of each kind of field": `
    graphql.applications({ where: { state: { in: ["DISCOVERED"] }, application: { name: { startsWith: "Ac" }, category: { name: { neq: null } } }, or: [{ lastUsed: { gte: "2026-01-01" } }, { userCountStat: { all: { eq: 0 } } }] } });
    graphql.licensePlans({ where: { contractDetails: { renewal: { upcomingDate: { value: { gte: "2026-01-01" } } } } }, order: { contractDetails: { renewal: { upcomingDate: { value: "ASC" } } } } });
    graphql.licenses({ order: [{ annualPrice: { amount: "DESC" } }, { id: "ASC" }] });`,
  "an enum of an answer that this version does not know": `
    for await (const { state } of graphql.applications()) return state === "ADDED_LATER";`,
  "an own document with types, paged by its own variables": `
    interface Data { readonly all: { readonly nodes: readonly { readonly id: string }[]; readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null } } }
    const document: graphqlSdk.Document<Data, { readonly size?: number; readonly from?: string }> = "query($size: Int, $from: String) { all(first: $size, after: $from) { nodes { id } } }";
    const { all } = await graphql.request(document, { size: 1 });
    const ids: { readonly id: string }[] = await graphql.paginate(document, {}, { select: (data) => data.all, variableNames: { first: "size", after: "from" }, limit: 3 }).toArray();
    return [all.nodes[0]?.id, ids];`,
  "columns of a CSV file infer": `
    await batch.write("accounts", fromCsv("users.csv", {
      columns: ["id", "mail"],
      map: (row, { line, location }) => (row.mail === "" ? undefined : { id: row.id, email: row.mail, name: \`\${location} \${line}\` }),
    }));`,
  "a JSON Lines file with and without map": `
    await batch.write("accounts", fromJsonl("users.jsonl"));
    await batch.write("accounts", fromJsonl(new URL("file:///users.jsonl"), { map: (value, at) => ({ id: String(value), name: at.location }), allowEmpty: true }));`,
  "pages of records, and pages with map": `
    const fetchPage = async (cursor: string | undefined): Promise<SourcePage<{ id: string }>> => ({ items: [{ id: "u1" }], next: cursor });
    await batch.write("accounts", fromPages(fetchPage));
    await batch.write("accounts", fromPages(fetchPage, { maxPages: 3 }));
    await batch.write("accounts", fromPages(async (_, { page, signal }) => ({ items: [{ uid: page, aborted: signal.aborted }], total: 1 }), { map: ({ uid }, { item }) => ({ id: \`\${uid}-\${item}\` }) }));`,
  "pages that are mapped to a variant": `
    await batch.write("employees", fromPages(async () => ({ items: ["o1"] }), { map: (id) => ({ okta: { id, displayName: id, login: id } }) }));`,
  "a client with defaults of runs": `
    const own = new SaasManagementClient({ syncUrl: "https://b.example.com", apiKey: async () => "k", sync: { installationId: "i1", ledger: fileLedger(), guard: false } });
    await own.sync.run({ snapshots: [], run: async () => {} }, { waitForLockMs: 1, stopOnSignals: true, retryForMs: 0, spool: { memoryBytes: 0 } });`,
  "progress of a batch": `
    await sync.startBatch({ onProgress: (event) => { if (event.type === "retry") console.log(event.code, event.delayMs); } });`,
  "a connector whose class keeps state": `
    class Vendor implements sdk.Connector<"accounts"> {
      readonly snapshots = ["accounts"] as const;
      run(batch: RunBatch<"accounts">) { return batch.write("accounts", []); }
    }
    await sync.run(new Vendor());`,
};
