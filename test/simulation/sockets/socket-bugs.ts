import type { Bug } from "../bug.js";

/** Bugs of the gRPC transport and of the reference server: only programs over sockets can catch them. */
export const SOCKET_BUGS: readonly Bug[] = [
  {
    name: "every second message of a stream is left out",
    file: "sync/grpc/calls.ts",
    right: "stream.write(bytes, () => writeFrom(index + 1));",
    wrong: "stream.write(bytes, () => writeFrom(index + 2));",
  },
  {
    name: "the bytes of a message are taken from the wrong place",
    file: "sync/grpc/calls.ts",
    right: "return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);",
    wrong: "return Buffer.from(bytes.buffer, 0, bytes.byteLength);",
  },
  {
    name: "an early answer that counts nothing is an acceptance",
    file: "sync/grpc/transport.ts",
    right: "if (everythingSent) return",
    wrong: "if (everythingSent || response) return",
  },
  {
    name: "a call that failed counts as unsent",
    file: "sync/grpc/transport.ts",
    right: "if (!sent) context.onUnsent?.();",
    wrong: "context.onUnsent?.();",
  },
  {
    name: "a stream that was reset counts as a refusal",
    file: "sync/grpc/status.ts",
    right: 'details.includes("RST_STREAM")',
    wrong: 'details.includes("RST-STREAM")',
  },
  {
    name: "a stream that was reset with ENHANCE_YOUR_CALM counts as a refusal",
    file: "sync/grpc/status.ts",
    right: "if (RESET_STREAM.has(details)) return callFailed(failed, place, serverMessage);",
    wrong: "",
  },
  {
    name: "an answer that is too large counts as a refusal",
    file: "sync/grpc/status.ts",
    right: "Raise that limit.`,\n    { serverMessage },",
    wrong: "Raise that limit.`,\n    { grpcStatus: status[status.RESOURCE_EXHAUSTED], serverMessage },",
  },
  {
    name: "a closed client leaves its connection open",
    file: "sync/grpc/connection.ts",
    right: "    this.#current?.destroy();\n",
    wrong: "",
  },
  {
    name: "a connection that is lost is not replaced",
    file: "sync/grpc/connection.ts",
    right: "if (this.#current?.isLost === true) this.#replace(this.#current);",
    wrong: "",
  },
  {
    name: "the deadline of a call that waits for its answer is not heard",
    file: "sync/grpc/calls.ts",
    right: "    stopListening = onAbort(signal, () => fail(signal.reason));\n",
    wrong: "",
  },
  {
    name: "the server lets an old stream write",
    file: "reference-server/sync/batch.ts",
    right: "if (stream < this.#newestStream) {",
    wrong: "if (stream < 0) {",
  },
  {
    name: "the server does not renew the lease",
    file: "reference-server/sync/batch.ts",
    right: "    this.#leaseExpiresAt = now + LEASE_MS;\n  }\n\n  endLease(",
    wrong: "    void now;\n  }\n\n  endLease(",
  },
  {
    name: "the server marks everything removed that a completed batch lacks",
    file: "reference-server/sync/stores.ts",
    right: "} else if (row.completedBy === this.#completedBy) {",
    wrong: "} else {",
  },
  {
    name: "the server marks nothing removed",
    file: "reference-server/sync/stores.ts",
    right: "        row.removed = true;\n",
    wrong: "",
  },
  {
    name: "the server keeps events with one id twice",
    file: "reference-server/sync/stores.ts",
    right: "const id = recordId(record, this.#idField) ??",
    wrong: 'const id = (this.model === "snapshot" && recordId(record, this.#idField)) ||',
  },
  {
    name: "an abort at the server does not release the lock",
    file: "reference-server/sync/batch.ts",
    right: 'if (state === "active") this.#state = "aborted";',
    wrong: "",
  },
];
