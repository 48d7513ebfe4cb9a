import http2 from "node:http2";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { StartSyncBatchResponse, SyncServiceService } from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
if (process.argv[2] === "grpc") {
  const s = new Server({ "grpc.max_receive_message_length": -1 });
  s.addService(SyncServiceService, { startSyncBatch: (_c: any, cb: any) => cb(null, { batchId: "b" }), syncRecords: (call: any, cb: any) => { call.once("data", () => { call.pause(); cb({ code: 3, details: "no" }); }); call.on("error", () => {}); } } as any);
  s.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_e, p) => console.log(p));
} else {
  const s = http2.createServer();
  s.on("stream", (st, h) => { st.on("error", () => {});
    if (String(h[":path"]).endsWith("SyncRecords")) st.once("readable", () => st.respond({ ":status": 200, "content-type": "application/grpc", "grpc-status": "3", "grpc-message": "no" }, { endStream: true }));
    else { const m = StartSyncBatchResponse.encode({ batchId: "b" }).finish(); const p = Buffer.alloc(5); p.writeUInt32BE(m.length, 1); st.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true }); st.once("wantTrailers", () => st.sendTrailers({ "grpc-status": "0" })); st.end(Buffer.concat([p, m])); } });
  s.listen(0, "127.0.0.1", () => console.log((s.address() as any).port));
}
