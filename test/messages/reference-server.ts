import { type Fault, startReferenceServer } from "@saas-management/sdk/testing";
import { FaultInjector } from "../../src/reference-server/faults/injector.js";

const unavailable = { fault: "status", status: "UNAVAILABLE" } as const;

export const messages: readonly {
  readonly title: string;
  readonly provoke: () => unknown;
  readonly text: string;
}[] = [
  {
    title: "an unknown option of the reference server",
    provoke: () => startReferenceServer(JSON.parse('{ "sync_port": 4001 }')),
    text: 'options: Unknown key "sync_port". Did you mean syncPort? Known keys: port, syncPort, host, tls, clock, portfolio, cors, pageSize.',
  },
  {
    title: "a fault with an invalid value",
    provoke: () => {
      const fault: object = { on: "sync", fault: "status", status: "UNAVAILABEL" };
      new FaultInjector().add(fault as Fault);
    },
    text: 'fault.status: Expected a gRPC status such as "UNAVAILABLE".',
  },
  {
    title: "a fault that never fired",
    provoke: () => {
      const faults = new FaultInjector();
      faults.add({ on: "sync", ...unavailable });
      faults.assertFired();
    },
    text: 'These faults never fired:\n  {"on":"sync","fault":"status","status":"UNAVAILABLE"}',
  },
];
