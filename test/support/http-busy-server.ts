import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

/** A server in another thread, which answers while the test's thread is busy. */
export interface BusyServer {
  readonly baseUrl: string;
  /** Number of requests so far, readable without yielding. */
  arrived(): number;
}

/** Every page of `applications` has two nodes and a next page. */
const SERVER = `
const { createServer } = require("node:http");
const { parentPort, workerData } = require("node:worker_threads");
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const page = Atomics.add(workerData, 0, 1);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: { applications: {
      nodes: [{ id: "a" + page }, { id: "b" + page }],
      pageInfo: { hasNextPage: true, endCursor: "c" + page },
      totalCount: 1000,
    } } }));
  });
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

export async function startBusyServer(): Promise<BusyServer> {
  const counter = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(SERVER, { eval: true, workerData: counter });
  onTestFinished(async () => {
    await worker.terminate();
  });
  const [port] = await once(worker, "message");
  return { baseUrl: `http://127.0.0.1:${port}`, arrived: () => Atomics.load(counter, 0) };
}
