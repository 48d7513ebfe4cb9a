import { type SyncFault, startReferenceServer } from "@saas-management/sdk/testing";
import { Faults } from "../../src/reference-server/faults/injector.js";

const unavailable = { type: "grpc-status", code: 14 } as const;

export const messages: readonly {
  readonly title: string;
  readonly provoke: () => unknown;
  readonly text: string;
}[] = [
  {
    title: "an unknown option of the reference server",
    provoke: () => startReferenceServer(JSON.parse('{ "sync_port": 4001 }')),
    text: 'options: Unknown key "sync_port". Did you mean syncPort? Known keys: port, syncPort, host, tls, clock, portfolio, pageSize.',
  },
  {
    title: "a fault with an invalid value",
    provoke: () => {
      const fault: SyncFault = { api: "sync", kind: { ...unavailable, code: 17 } };
      new Faults().add(fault);
    },
    text: "fault.kind.code: Too big: expected number to be <=16.",
  },
  {
    title: "a fault that never struck",
    provoke: () => {
      const faults = new Faults();
      faults.add({ api: "sync", kind: unavailable });
      faults.assertFired();
    },
    text: 'Faults struck too few calls:\n  0 of 1: {"api":"sync","kind":{"type":"grpc-status","code":14}}',
  },
];
