/** Checks what generated code writes and reads against the service's own descriptors, even for other contracts. */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { expect, test } from "vitest";
import { Names } from "../../codegen/contract-names.js";
import { EncodedRecord } from "../../src/sync/encoding/record-inspector.js";
import { FLAT, IN_PLACE, NESTED, PRESENCE } from "./fixtures.js";
import { fullRecords } from "./full-record.js";
import { codeOf, collectionsOf, originalsOf } from "./generated.js";
import { at, flattened, originalForm, set } from "./original-form.js";

const CONTRACTS = Object.entries({ "in place": IN_PLACE, flat: FLAT, nested: NESTED, presence: PRESENCE });
/** Fewer records don't make a block. */
const TIMES = 10;

test.each(CONTRACTS)("records of the contract %s", async (_, contract) => {
  const { WIRE, ENCODERS, BLOCK_ENCODERS, MessageBuilder, SyncServiceService } = await codeOf(contract);
  const { service, methods, sync } = contract.mapping;
  const originals = originalsOf(contract);
  const request = originals.getService(service)?.methods.find(({ name }) => name === methods.sync)?.input;
  const names = new Names(contract.mapping.names);
  const collections = collectionsOf(contract);
  expect(Object.keys(WIRE)).toEqual(collections.map(({ name }) => name));
  for (const collection of collections) {
    const { name, record, idField, isFlat, recordsNumber } = collection;
    const [place, encoder, blockEncoder] = [WIRE[name], ENCODERS[name], BLOCK_ENCODERS[name]];
    if (!request || !place || !encoder || !blockEncoder) throw new Error(`${name} is not generated`);
    const records = [0, -1].flatMap((choice) => fullRecords(record, choice));
    const single = new MessageBuilder("batch-1", place, 2 ** 20);
    const view = new EncodedRecord(idField !== undefined, isFlat ? 8 * recordsNumber + 2 : undefined);
    for (const [index, each] of records.entries()) {
      expect(single.encode(each, encoder)).toBe(true);
      const { buffer, idStart, idEnd } = view.moveTo(
        single.buffer,
        single.recordStart,
        single.recordEnd,
        index,
      );
      const [inner]: unknown[] = Object.values(each);
      const id = idField === undefined ? "" : Reflect.get(idField in each ? each : Object(inner), idField);
      expect(Buffer.from(buffer).toString("utf8", idStart, idEnd)).toBe(id);
      single.keep(index);
    }
    const { bytes } = single.flush();
    const message = reflect(request, fromBinary(request, bytes));
    expect(at(message, sync.batchId)).toBe("batch-1");
    const form = originalForm(message, names);
    expect(JSON.stringify(form)).toContain(`"${name}":`);
    expect(recordsIn(form, name)).toEqual(records);

    const { batchId, collection: read } = SyncServiceService.syncRecords.requestDeserialize(
      Buffer.from(bytes),
    );
    expect([batchId, read?.$case, read?.value.records.length]).toEqual(["batch-1", name, records.length]);
    const again = SyncServiceService.syncRecords.requestSerialize({ batchId, collection: read });
    expect(originalForm(reflect(request, fromBinary(request, again)), names)).toEqual(form);

    const many = Array.from({ length: TIMES }, () => records).flat();
    const builders = [0, 1].map(() => new MessageBuilder("batch-1", place, 2 ** 20));
    const [inBlock, oneByOne] = builders;
    const block = inBlock?.encodeBlock(many, 0, blockEncoder);
    if (block) inBlock?.keepBlock(block, 0);
    expect(block?.records).toBe(many.length);
    for (const [index, each] of many.entries()) if (oneByOne?.encode(each, encoder)) oneByOne.keep(index);
    expect(Buffer.from(inBlock?.flush().bytes ?? [])).toEqual(Buffer.from(oneByOne?.flush().bytes ?? []));
  }
});

test.each(CONTRACTS)("the methods of the contract %s", async (_, contract) => {
  const { SyncServiceService } = await codeOf(contract);
  const { service, methods, start, complete, abort } = contract.mapping;
  const inOrder = Object.values(SyncServiceService);
  expect(inOrder.map(({ path }) => path)).toEqual(
    Object.values(methods).map((name) => `/${service}/${name}`),
  );
  const original = (role: keyof typeof methods) => {
    const found = originalsOf(contract)
      .getService(service)
      ?.methods.find(({ name }) => name === methods[role]);
    if (found === undefined) throw new Error(`no method ${role}`);
    return found;
  };
  const { startSyncBatch, completeSyncBatch, abortSyncBatch } = SyncServiceService;
  const sent = (role: keyof typeof methods, bytes: Uint8Array, path: string) =>
    at(reflect(original(role).input, fromBinary(original(role).input, bytes)), path);
  const started = startSyncBatch.requestSerialize({ installationId: "i-1" });
  expect(sent("start", started, start.installationId)).toBe("i-1");
  expect(sent("complete", completeSyncBatch.requestSerialize({ batchId: "b-1" }), complete.batchId)).toBe(
    "b-1",
  );
  expect(sent("abort", abortSyncBatch.requestSerialize({ batchId: "b-1" }), abort.batchId)).toBe("b-1");
  const { output } = original("start");
  const answer = reflect(output);
  set(answer, start.batchId, "b-1");
  const bytes = Buffer.from(toBinary(output, answer.message));
  expect(startSyncBatch.responseDeserialize(bytes)).toEqual({ batchId: "b-1" });
});

/** The records of a request that must have only its batch id and one collection. */
function recordsIn(form: object, collection: string): readonly object[] {
  const found: unknown = Reflect.get(form, collection);
  if (typeof found === "object" && found !== null) {
    const [records, ...others] = Object.values(found);
    expect(others).toEqual([]);
    return records.map(flattened);
  }
  const within = Object.values(form).filter((value) => typeof value === "object");
  return within.flatMap((value) => recordsIn(value, collection));
}
