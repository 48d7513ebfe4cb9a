import { SaasManagementClient } from "@saas-management/sdk";

export const messages = [
  {
    title: "an endpoint that is not an absolute URL",
    provoke: () => new SaasManagementClient({ baseUrl: "api.example.com", apiKey: "key-1" }),
    text: "baseUrl must be an absolute URL such as https://api.example.com.",
  },
];
