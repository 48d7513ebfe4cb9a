/** The recording of the vendor of `rest-vendor-script.ts`, made by `rest-cassette-script.ts`. */
export const REST_VENDOR = {
  cassette: new URL("./rest.cassette.json", import.meta.url),
  baseUrl: "https://api.polarvik.example",
  apiKey: "vk_live_4f9c27d1a8e35b60",
};

/** Fields whose values the connector knows. */
export const KEPT = ["role"];
