"use client";
import { GraphQLClient } from "@saas-management/sdk/graphql";
import { createElement, useEffect, useState } from "react";

// Next evaluates this on a server too, where there is no page that a path could be relative to.
const client = new GraphQLClient({ baseUrl: "/api", authorization: "none" });

export default function Page() {
  const [names, setNames] = useState("");
  useEffect(() => {
    const read = async () => {
      const found = await client.applications().toArray();
      setNames(found.map(({ application }) => application.name).join());
    };
    read().catch((error) => setNames(error.message));
  }, []);
  return createElement("p", null, names);
}
