/** Programs that compile. Their bodies run in an async function; names of the package are in scope. */
export const RIGHT: Readonly<Record<string, string>> = {
  "a generic record is written flat": `
    await batch.write("accounts", [{ id: "u1", name: "Ada", email: null }]);`,
  "a field may be undefined": `
    await batch.write("accounts", users.map(({ id, mail }) => ({ id, email: mail })));`,
  "records of several variants in one array": `
    await batch.write("employees", [
      { id: "e1", fullName: "Ada" },
      { okta: { id: "o1", displayName: "Grace", login: "grace" } },
    ]);`,
  "a function that returns a record of a variant": `
    const toRecord = (id: string): EmployeeRecord => ({ google: { id, fullName: "Ada", primaryEmail: "a@b.c" } });
    await batch.write("employees", ["g1"].map(toRecord));`,
  "an array of pages": `
    await batch.write("accounts", [[{ id: "u1" }], [{ id: "u2" }]]);`,
  "a Set of records": `
    await batch.write("accounts", new Set([account]));`,
  "a generator of records": `
    await batch.write("accounts", (function* () { yield { id: "u1" }; })());`,
  "an async generator of pages": `
    async function* pages() { yield [{ id: "u1" }, { id: "u2" }]; }
    await batch.write("accounts", pages());`,
  "choices in a generator, as the guide shows": `
    async function* plans(): AsyncGenerator<RecordOf<"plans">> {
      yield { id: "p1", externalPlanName: "Pro", details: { model: "SEAT_BASED", seatBased: { paidSeats: 5 } } };
    }
    await batch.write("plans", plans());
    await batch.write("plans", (function* () {
      yield { id: "p2", externalPlanName: "Team", details: { model: "SEAT_BASED", seatBased: { paidSeats: 5 } } } as const;
    })());`,
  "a web stream": `
    const stream = new ReadableStream<AccountRecord>();
    await batch.write("accounts", stream);`,
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
    const stats: WriteStats = await groups.end({ expectedCount: 2 });
    await members.end();
    return stats.accepted;`,
  "a batch that is completed": `
    await using own = await sync.startBatch({ installationId: "i1", waitForLockMs: 1000 });
    await own.write("accounts", []);
    const counts = await own.complete();
    return counts.accounts?.removed ?? counts.usage?.accepted;`,
  "a batch of another process": `
    await using opened = sync.openBatch("b1", { onProgress: () => {} });
    const { id, state }: { id: string; state: string } = opened;
    await opened.abort();
    return id + state;`,
  "a batch that is taken over": `
    await using own: SyncBatch = sync.openBatch("b1", { takeOver: true, maxIdleMs: 1000 });
    await own.write("accounts", []);
    await own.complete({ unverified: true });`,
  "an inline connector": `
    const receipt: RunReceipt = await sync.run({ snapshots: ["accounts"], run: (batch) => batch.write("accounts", []) }, { ledger: "none" });
    return receipt.batchId;`,
  "an inline connector with several writes": `
    await sync.run({
      snapshots: ["accounts", "groups"],
      async run(batch, { signal, preview }) {
        await batch.write("accounts", [{ id: "u1" }], { signal });
        await batch.write("groups", []);
        if (!preview) await batch.write("usage", []);
      },
    });`,
  "a connector that writes together": `
    await sync.run({
      snapshots: ["accounts", "groups"],
      run: (batch) => Promise.all([batch.write("accounts", []), batch.write("groups", [])]),
    });`,
  "a connector with events only": `
    await sync.run({ snapshots: [], run: (batch) => batch.write("auditLogs", []) });`,
  "a connector in a variable": `
    const connector = defineConnector({ snapshots: ["accounts"], run: (batch) => batch.write("accounts", []) });
    await sync.run(connector);
    await sync.preview(connector);`,
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
    if (error instanceof BatchStateError) return error.reason === "taken-over" ? undefined : error.state;
    if (error instanceof TimeoutError) return error.timeoutMs;
    return (error as Error).message;`,
  "a mutation error": `
    const error: unknown = undefined;
    return isMutationError(error, "updateProcurementCase") ? error.errors[0]?.message : undefined;`,
  "the client's two APIs": `
    const own = new SaasManagementClient({ baseUrl: "https://a.example.com", syncUrl: "https://b.example.com", apiKey: "k" });
    const [license] = await own.graphql.licenses().toArray();
    await own.sync.startBatch({ installationId: "i1" });
    await own.close();
    return license?.id;`,
  "a client from the environment": `
    await using own = SaasManagementClient.fromEnv();
    return own.graphql;`,
  "options of a list": `
    for await (const license of graphql.licenses({ where: { state: { activity: { eq: "UNUSED" } } }, limit: 20, pageSize: 10, from: "end", prefetch: true })) return license.id;`,
  "filters and orders of each kind of field": `
    graphql.applications({ where: { state: { in: ["DISCOVERED"] }, application: { name: { startsWith: "Ac" }, category: { name: { neq: null } } }, or: [{ lastUsed: { gte: "2026-01-01" } }, { userCountStat: { all: { eq: 0 } } }] } });
    graphql.licensePlans({ where: { contractDetails: { renewal: { upcomingDate: { value: { gte: "2026-01-01" } } } } }, order: { contractDetails: { renewal: { upcomingDate: { value: "ASC" } } } } });
    graphql.licenses({ order: [{ annualPrice: { amount: "DESC" } }, { id: "ASC" }] });`,
  "an enum of an answer that this version does not know": `
    for await (const { state } of graphql.applications()) return state === "ADDED_LATER";`,
  "the state of a license": `
    for await (const license of graphql.licenses()) return license.state?.activity;`,
  "a page and a total": `
    const applications = graphql.applications({ limit: 2 });
    const page = await applications.firstPage();
    return [await applications.totalCount(), page.nodes[0]?.id, page.pageInfo.endCursor];`,
  "a calendar date in an input": `
    await graphql.updateProcurementCase({ id: "p1", deadline: calendarDate(new Date()) });`,
  "sums by currency": `
    return sumByCurrency(graphql.licenses(), (license) => license.potentialSaving);`,
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
  "a CSV file without columns": `
    const source = fromCsv("users.csv", { map: (row) => ({ id: row["id"] ?? "" }), delimiter: ";", encoding: "windows-1252" });
    await batch.write("accounts", source);
    return source.stats.skipped;`,
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
  "located records": `
    await batch.write("accounts", located([{ id: "u1" }], (index) => \`row \${index}\`));`,
  "a reference server with faults": `
    const own = await startReferenceServer({ clock: new TestClock(), portfolio: { applications: [{ name: "Figma" }] } });
    const added = own.faults.add({ on: "SyncRecords", fault: "drop", at: "answer", nth: 2, times: 1 });
    own.faults.assertFired();
    return [added.fired, own.inspect().lock?.batchId];`,
  "a ledger in a directory, in memory and in a store": `
    const store: Store = new Map() as unknown as Store;
    for (const ledger of [fileLedger(), fileLedger("ledger", { hashIds: true }), memoryLedger(), storeLedger(store)])
      await sync.run({ snapshots: [], run: (batch) => batch.write("usage", []) }, { ledger });`,
  "guard rules": `
    await sync.run({ snapshots: ["accounts"], run: (batch) => batch.write("accounts", []) }, { guard: { collections: { accounts: false } }, approve: "approval-1" });`,
  "a client with defaults of runs": `
    const own = new SaasManagementClient({ syncUrl: "https://b.example.com", apiKey: async () => "k", sync: { installationId: "i1", ledger: fileLedger(), guard: false, eventDelivery: "at-most-once" } });
    await own.sync.run({ snapshots: [], run: async () => {} }, { waitForLockMs: 1, stopOnSignals: true, restarts: 0, maxDurationMs: 1, spool: { memoryBytes: 0 } });`,
  "events of attempts": `
    const own = new SaasManagementClient({ baseUrl: "https://a.example.com", apiKey: "k", onEvent: ({ type, operation, attempt, durationMs }) => console.log(type, operation, attempt, durationMs) });
    await own.close();`,
  "progress of a batch": `
    await sync.startBatch({ onProgress: (event) => { if (event.type === "retry") console.log(event.code, event.delayMs); } });`,
  "a connector whose class keeps state": `
    class Vendor implements sdk.Connector<"accounts"> {
      readonly snapshots = ["accounts"] as const;
      run(batch: RunBatch<"accounts">) { return batch.write("accounts", []); }
    }
    await sync.run(new Vendor());`,
  "a held run": `
    try { await sync.run({ snapshots: [], run: async () => {} }); } catch (error) {
      if (error instanceof RunHeldError) return error.message;
      throw error;
    }`,
};
