import { SyncClient } from "../../src/sync/index.js";
const client = new SyncClient({ endpoint: `http://127.0.0.1:${process.argv[2]}`, apiKey: "k", retry: false });
const recs = Array.from({ length: 8 }, (_, i) => ({ generic: { id: `u${i}`, name: "n".repeat(1000000) } }));
for (let i = 0; i <= 60; i++) {
  const batch = await client.startBatch({ installationId: "i" });
  const e = await batch.write("accounts", recs).catch((e: unknown) => e);
  batch.close();
  if (i % 20 === 0) { globalThis.gc?.(); await new Promise(r => setTimeout(r, 50)); globalThis.gc?.(); const m = process.memoryUsage(); console.log(i, String(e).slice(0, 60), Math.round(m.rss/1e6), Math.round(m.external/1e6), Math.round(m.arrayBuffers/1e6)); }
}
await client.close();
