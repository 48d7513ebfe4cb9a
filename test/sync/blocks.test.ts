import { expect, test } from "vitest";
import { MessageBuilder } from "../../src/sync/encoding/message-builder.js";
import { BLOCK_ENCODERS } from "../../src/sync/generated/encoders.js";
import { contractCollections } from "../contract/collections.js";
import { checkBlocks } from "../support/block-check.js";
import { BLOCK_FAULTS, withFault } from "../support/block-faults.js";
import { count } from "../support/fuzz.js";
import { RUNS, SEED, TIMEOUT_MS } from "../support/property-runs.js";

const contracts = contractCollections();
const wanted = Math.max(2000, Math.ceil(RUNS / contracts.length));

test.each(contracts)(
  "blocks of $name have the bytes of single records",
  { timeout: TIMEOUT_MS },
  (contract) => {
    const counts = checkBlocks({ MessageBuilder, BLOCK_ENCODERS }, contract, SEED, wanted);
    count({ group: "blocks of records", what: contract.name, cases: counts.records });
    expect(counts.inBlocks).toBeGreaterThan(counts.records / 2);
    expect(counts.foreign).toBeGreaterThan(counts.records / 4);
    expect(counts.refused).toBeGreaterThan(0);
  },
);

test.each(BLOCK_FAULTS)("a fault is noticed: $name", async (fault) => {
  const code = await withFault(fault);
  expect(() => contracts.map((contract) => checkBlocks(code, contract, SEED, 1000))).toThrow("differs");
});
