/** The client written by hand, which checks nothing. */
import type { SyncPeer, SyncTask } from "../task.js";
import { connectByHand } from "./by-hand.js";
import { preparer, type ToMessage, toMap, toTimestamp } from "./ts-proto-models.js";

/** Records as ts-proto's messages. */
export const MODELS: ToMessage = {
  accounts: (record) => record,
  licenses: (record) => record,
  usage: ({ variant: { value } }) => ({
    variant: { $case: "generic", value: { ...value, lastActivity: toTimestamp(value.lastActivity) } },
  }),
  employees: ({ variant: { value } }) => ({
    variant: {
      $case: "generic",
      value: {
        ...value,
        creationTime: toTimestamp(value.creationTime),
        attributes: toMap(value.attributes),
      },
    },
  }),
};

export function connect(task: SyncTask): Promise<SyncPeer> {
  return connectByHand(task, preparer(MODELS));
}
