/**
 * What every consumer does: pushes accounts and reads applications. It uses its own reference server, so that both
 * halves of the package run on its platform. If BASE_URL and SYNC_URL are set, it uses that server instead.
 */
module.exports = async function program({ SaasManagementClient, BatchStateError }, { startReferenceServer }) {
  const { BASE_URL, SYNC_URL, API_KEY, INSTALLATION_ID } = process.env;
  const own =
    BASE_URL === undefined
      ? await startReferenceServer({ portfolio: { applications: [{ name: "Figma" }, { name: "Zoom" }] } })
      : undefined;
  const { baseUrl, syncUrl, apiKey, installationId } = own ?? {
    baseUrl: BASE_URL,
    syncUrl: SYNC_URL,
    apiKey: API_KEY,
    installationId: INSTALLATION_ID,
  };
  const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });

  const batch = await client.sync.startBatch({ installationId });
  const { accepted } = await batch.write("accounts", [
    { id: "u1", name: "Ada" },
    { id: "u2", name: "Grace" },
  ]);
  await batch.complete();
  const refusal = await batch.write("accounts", []).catch((error) => error);

  const names = [];
  for await (const { application } of client.graphql.applications({ pageSize: 1 }))
    names.push(application.name);

  await client.close();
  await own?.close();
  return { accepted, refused: refusal instanceof BatchStateError, names };
};
