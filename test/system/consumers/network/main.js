/** Sends a key over TLS to a server with a trusted or untrusted authority, and through a proxy that opens no tunnel. */
import { once } from "node:events";
import { createServer } from "node:net";
import process from "node:process";
import { SaasManagementClient } from "@saas-management/sdk";

const { BASE_URL, API_KEY, TLS_BASE_URL, TLS_API_KEY, AUTHORITY, STRANGER } = process.env;
const asked = [];
const proxy = createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", (data) => {
    asked.push(data.toString().split(" ", 1)[0]);
    socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
  });
});
proxy.listen(0, "127.0.0.1");
await once(proxy, "listening");
const proxyUrl = `http://127.0.0.1:${proxy.address().port}`;

async function outcome(options) {
  const client = new SaasManagementClient({ retry: false, ...options });
  const request = client.graphql.request("query Probe { __typename }", {});
  const result = await request.then(
    () => "answered",
    (error) => (error.message.includes("certificate is not trusted") ? "not trusted" : error.message),
  );
  await client.close();
  return result;
}

const overTls = { baseUrl: TLS_BASE_URL, apiKey: TLS_API_KEY };
const plain = { baseUrl: BASE_URL, apiKey: API_KEY };
const result = {
  unknownAuthority: await outcome(overTls),
  otherAuthority: await outcome({ ...overTls, tls: { ca: STRANGER } }),
  ownAuthority: await outcome({ ...overTls, tls: { ca: AUTHORITY } }),
};
await outcome({ ...plain, proxy: proxyUrl });
result.throughProxy = [...asked];
proxy.close();
console.log(JSON.stringify(result));
