/** Contracts that differ from ours, with the files that a maintainer would write in contract/. */
import { MAPPING } from "../../contract/mapping.js";
import { RULES } from "../../contract/rules.js";
import type { Mapping, Rules } from "../../contract/types.js";

export interface ContractFixture {
  readonly folder: string;
  readonly mapping: Mapping;
  readonly rules: Rules;
}

export const IN_PLACE: ContractFixture = { folder: "proto", mapping: MAPPING, rules: RULES };

const ID = { id: true, required: true } as const;
const REQUIRED = { required: true } as const;
const LEFT_OUT = { leftOut: true } as const;

export const FLAT: ContractFixture = {
  folder: "test/contract/fixtures/flat",
  mapping: {
    service: "flat.v2.Ingest",
    methods: { start: "Open", sync: "Push", complete: "Close", abort: "Cancel" },
    start: { installationId: "installation", batchId: "batch" },
    sync: { batchId: "batch", accepted: "accepted" },
    complete: { batchId: "batch" },
    abort: { batchId: "batch" },
    batchState: "batch-state",
    names: { "Login.display_name": "name", "SignIn.usual": "generic", "Events.sign_ins": "usage" },
  },
  rules: {
    collections: { accounts: "snapshot", usage: "event", costs: "event", warnings: "left out" },
    messages: {
      Login: {
        fields: { key: ID, name: { shownAs: "name" }, state: REQUIRED, score: LEFT_OUT, phone: LEFT_OUT },
      },
      Usual: { fields: { actor: { required: true, refersTo: ["accounts"] } } },
      Cost: { fields: { amount: { required: true, format: "decimal" } } },
    },
  },
};

export const NESTED: ContractFixture = {
  folder: "test/contract/fixtures/nested",
  mapping: {
    service: "northwind.directory.DirectorySync",
    methods: { start: "Begin", sync: "Write", complete: "Commit", abort: "Rollback" },
    start: { installationId: "target.installation_id", batchId: "header.batch_id" },
    sync: { batchId: "header.batch_id" },
    complete: {
      batchId: "header.batch_id",
      snapshots: {
        list: "reconciled",
        collection: "collection_name",
        added: "created",
        updated: "changed",
        removed: "deleted",
      },
    },
    abort: { batchId: "header.batch_id" },
    batchState: "batch-state",
    names: {},
  },
  rules: {
    collections: { accounts: "snapshot", plans: "snapshot", employees: "snapshot", contracts: "event" },
    messages: {
      AccountGeneric: { fields: { id: ID } },
      PlanGeneric: { fields: { id: ID, details: REQUIRED } },
      PlanTerms: {
        fields: { model: REQUIRED, seat_based: { requiredWhen: { field: "model", value: "SEAT_BASED" } } },
      },
      EmployeeGeneric: { fields: { id: ID } },
      EmployeeMicrosoft: { fields: { id: ID } },
      ContractGeneric: { fields: { id: ID } },
    },
  },
};

export const PRESENCE: ContractFixture = {
  folder: "test/contract/fixtures/presence",
  mapping: {
    service: "presence.Sync",
    methods: { start: "Start", sync: "Write", complete: "Complete", abort: "Abort" },
    start: { installationId: "installation_id", batchId: "batch.id" },
    sync: { batchId: "batch.id" },
    complete: {
      batchId: "id",
      snapshots: {
        list: "counts",
        collection: "collection",
        added: "added",
        updated: "updated",
        removed: "removed",
      },
    },
    abort: { batchId: "id" },
    batchState: "batch-state",
    names: {},
  },
  rules: {
    collections: { employees: "snapshot", devices: "snapshot" },
    messages: {
      PersonGeneric: { fields: { id: ID, name: REQUIRED, home: LEFT_OUT } },
      PersonContractor: { fields: { id: ID } },
      Device: { fields: { serial: ID } },
    },
  },
};
