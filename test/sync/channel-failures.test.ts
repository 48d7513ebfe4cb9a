import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import {
  SyncClient,
  type SyncClientOptions,
  type TlsOptions,
  TransportError,
} from "@saas-management/sdk/sync";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connectionFailure } from "../../src/sync/grpc/connection-failure.js";
import { listen, listenTcp, unusedPort } from "../support/tcp-peers.js";
import { startBareServer } from "../support/tls-bare-server.js";
import { certificate, identity } from "../support/tls-certificates.js";

const TRUSTING: TlsOptions = { ca: certificate("authority") };
const API_KEY = "sk-canary-4711";

/** The error of a start, without retries. */
async function failure(endpoint: string, options: Partial<SyncClientOptions> = {}): Promise<TransportError> {
  const client = new SyncClient({ endpoint, apiKey: API_KEY, retry: false, ...options });
  onTestFinished(() => client.close());
  const error = await client.startBatch({ installationId: "installation-1" }).catch((e: unknown) => e);
  if (error instanceof TransportError) return error;
  throw error;
}

interface Case {
  readonly what: string;
  readonly reason: string;
  readonly advice: string;
  readonly retryable: boolean;
  /** Brings the peer about and returns the error of a call to it. */
  readonly meet: () => Promise<TransportError>;
}

const cases: Case[] = [
  {
    what: "a certificate of another authority",
    reason: "its certificate is not signed by an authority that is trusted here",
    advice: "tls.ca",
    retryable: false,
    meet: async () => {
      const { port } = await startBareServer(identity("server"));
      return failure(`https://localhost:${port}`, { tls: { ca: certificate("stranger") } });
    },
  },
  {
    what: "a private authority, where the well-known ones are trusted",
    reason: "its certificate is not signed by an authority that is trusted here",
    advice: "tls.ca",
    retryable: false,
    meet: async () => {
      const { cert, key } = identity("server");
      const { port } = await startBareServer({ cert: cert + certificate("authority"), key });
      return failure(`https://localhost:${port}`);
    },
  },
  {
    what: "an expired certificate",
    reason: "its certificate has expired or is not valid yet",
    advice: "a new certificate",
    retryable: false,
    meet: async () => {
      const { port } = await startBareServer(identity("expired"));
      return failure(`https://localhost:${port}`, { tls: TRUSTING });
    },
  },
  {
    what: "a certificate for another host",
    reason: "its certificate is for another host name",
    advice: "tls.serverName",
    retryable: false,
    meet: async () => {
      const { port } = await startBareServer(identity("named"));
      return failure(`https://localhost:${port}`, { tls: TRUSTING });
    },
  },
  {
    what: "a certificate for another host than the address",
    reason: "its certificate is for another host name",
    advice: "tls.serverName",
    retryable: false,
    meet: async () => {
      const { port } = await startBareServer(identity("named"));
      return failure(`https://127.0.0.1:${port}`, { tls: TRUSTING });
    },
  },
  {
    what: "a server that requires a client certificate, by TLS 1.3",
    reason: "it does not accept the client certificate, or requires one and none was sent",
    advice: "tls.cert and tls.key",
    retryable: false,
    meet: async () => {
      const mutual = { ...identity("server"), requestCert: true, ca: certificate("authority") };
      const { port } = await startBareServer(mutual);
      return failure(`https://localhost:${port}`, { tls: TRUSTING });
    },
  },
  {
    what: "a server that requires a client certificate, by TLS 1.2",
    reason: "it refused the TLS handshake",
    advice: "tls.cert and tls.key",
    retryable: false,
    meet: async () => {
      const mutual = { ...identity("server"), requestCert: true, ca: certificate("authority") };
      const { port } = await startBareServer({ ...mutual, maxVersion: "TLSv1.2" });
      return failure(`https://localhost:${port}`, { tls: TRUSTING });
    },
  },
  {
    what: "a server that does not accept the client certificate",
    reason: "it closed the connection after the TLS handshake",
    advice: "tls.cert and tls.key",
    retryable: true,
    meet: async () => {
      const mutual = { ...identity("server"), requestCert: true, ca: certificate("authority") };
      const { port } = await startBareServer(mutual);
      return failure(`https://localhost:${port}`, { tls: { ...TRUSTING, ...identity("strange-client") } });
    },
  },
  {
    what: "TLS to a port without it",
    reason: "it does not speak TLS",
    advice: "Check the port",
    retryable: false,
    meet: async () => {
      const { port } = await startBareServer();
      return failure(`https://localhost:${port}`, { tls: TRUSTING });
    },
  },
  {
    what: "plaintext to a TLS port",
    reason: "it closed the connection before it said anything",
    advice: "begins with https://",
    retryable: true,
    meet: async () => {
      const { port } = await startBareServer(identity("server"));
      return failure(`http://localhost:${port}`);
    },
  },
  {
    what: "an HTTP/1 server with TLS",
    reason: "it does not speak HTTP/2, which gRPC needs",
    advice: "the address of the Sync API",
    retryable: false,
    meet: async () => {
      const { port } = await listen(createHttpsServer(identity("server")));
      return failure(`https://localhost:${port}`, { tls: TRUSTING });
    },
  },
  {
    what: "an HTTP/1 server",
    reason: "it does not speak HTTP/2, which gRPC needs",
    advice: "the address of the Sync API",
    retryable: false,
    meet: async () => {
      const { port } = await listen(createHttpServer());
      return failure(`http://localhost:${port}`);
    },
  },
  {
    what: "a port on which nobody listens",
    reason: "the connection was refused",
    advice: "that the service runs",
    retryable: true,
    meet: async () => failure(`http://localhost:${await unusedPort()}`),
  },
  {
    what: "a listener that drops TLS connections",
    reason: "it closed the connection during the TLS handshake",
    advice: "Check the port",
    retryable: true,
    meet: async () => {
      const { port } = await listenTcp((socket) => socket.end());
      return failure(`https://localhost:${port}`, { tls: TRUSTING });
    },
  },
  {
    what: "a host name that does not exist",
    reason: "the host name cannot be resolved",
    advice: "a typing error",
    retryable: true,
    // A label that is too long: no name service is asked.
    meet: () => failure(`https://${"a".repeat(64)}.invalid`),
  },
  {
    what: "a proxy that refuses",
    reason: "the proxy did not open a way there",
    advice: "grpc_proxy",
    retryable: true,
    meet: async () => {
      const proxy = createHttpServer().on("connect", (_, socket) => socket.end("HTTP/1.1 407 No\r\n\r\n"));
      vi.stubEnv("grpc_proxy", `http://127.0.0.1:${(await listen(proxy)).port}`);
      // grpc-js writes what the proxy said to the console.
      vi.spyOn(console, "error").mockImplementation(() => {});
      onTestFinished(() => {
        vi.unstubAllEnvs();
        vi.restoreAllMocks();
      });
      return failure("https://sync.example.test");
    },
  },
];

describe("where there is no connection, the error names the target, the reason and what to do:", () => {
  it.each(cases.map((row) => [row.what, row] as const))(
    "%s",
    async (_, { reason, advice, retryable, meet }) => {
      const error = await meet();
      expect(error.message).toMatch(/^StartSyncBatch: no connection to [\w.]+:\d+: [^.]+\. [A-Z].*\.$/);
      expect(error.message).toContain(`: ${reason}. `);
      expect(error.message).toContain(advice);
      expect(error).toMatchObject({ grpcStatus: "UNAVAILABLE", retryable, attempts: 1 });
      expect(error.message).not.toContain(API_KEY);
      expect(error.message).not.toMatch(/OpenSSL|error:|altnames|Z\)/);
    },
  );

  it("a certificate that is wrong is not tried again", async () => {
    const server = await startBareServer(identity("expired"));
    const retry = { retries: 3, minDelayMs: 1, maxDelayMs: 1 };
    const error = await failure(`https://localhost:${server.port}`, { tls: TRUSTING, retry });
    expect(error.attempts).toBe(1);
    expect(server.accepted()).toBe(1);
  });

  it("a listener that drops connections is connected to once an attempt", async () => {
    const peer = await listenTcp((socket) => socket.destroy());
    const retry = { retries: 3, minDelayMs: 1, maxDelayMs: 1 };
    const error = await failure(`http://127.0.0.1:${peer.port}`, { retry });
    expect(error.attempts).toBe(4);
    expect(peer.accepted()).toBe(4);
  });
});

describe("an answer that is not gRPC", () => {
  it("is named by its HTTP status", async () => {
    const server = await startBareServer();
    server.answer = (stream) => {
      stream.respond({ ":status": 404, "content-type": "text/html" });
      stream.end("<html>Nothing here, but a text of some length.</html>");
    };
    const error = await failure(`http://127.0.0.1:${server.port}`);
    expect(error.message).toBe(
      `StartSyncBatch: 127.0.0.1:${server.port} answered with HTTP status 404 instead of a gRPC response. Check that the endpoint is the address of the Sync API.`,
    );
    expect(error).toMatchObject({ status: 404, retryable: false });
  });
});

describe("what grpc-js says of a connection", () => {
  const secure = { secure: true, clientCertificate: false };
  it.each([
    ["Error: certificate is not yet valid", /not valid yet/],
    [
      "Error: self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca",
      /trusted here/,
    ],
    [
      "40CD:error:0A000410:SSL routines:ssl3_read_bytes:ssl/tls alert handshake failure:rec_layer_s3.c:918:SSL alert number 40\n",
      /refused the TLS handshake/,
    ],
    [
      "40CD:error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca:rec_layer_s3.c:918:SSL alert number 48\n",
      /does not accept the client certificate/,
    ],
    ["Error: connect ETIMEDOUT 192.0.2.1:443", /nobody answered/],
    ["Error: connect ENETUNREACH 2001:db8::1:443", /no way there/],
    ["Error: connect EHOSTUNREACH 192.0.2.1:443", /no way there/],
    ["Error: read ECONNRESET", /reset/],
    ["something new", /could not be made/],
    ["null", /could not be made/],
  ])("is understood: %s", (lastError, reason) => {
    const details = `No connection established. Last error: ${lastError}. Resolution note: `;
    expect(connectionFailure(details, secure)?.reason).toMatch(reason);
  });

  it("is told apart from what it says of a call that was under way", () => {
    for (const details of ["Connection dropped", "read ECONNRESET", "Stream refused by server", ""])
      expect(connectionFailure(details, secure)).toBeUndefined();
  });
});
