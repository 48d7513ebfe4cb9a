import { afterAll, beforeAll } from "vitest";
import { startRestVendor, type VendorAnswer } from "./rest-vendor-process.js";

/** The vendor in a process of its own, for all tests of a file. */
export interface VendorProcess {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The next requests get these answers. */
  answer(...answers: readonly VendorAnswer[]): void;
}

export function vendorProcess(): VendorProcess {
  const apiKey = "vk_live_4f9c27d1a8e35b60";
  let vendor: Awaited<ReturnType<typeof startRestVendor>> | undefined;
  beforeAll(async () => {
    vendor = await startRestVendor(apiKey);
  });
  afterAll(() => vendor?.close());
  return {
    get baseUrl() {
      return vendor?.baseUrl ?? "";
    },
    apiKey,
    answer: (...answers) => vendor?.answer(...answers),
  };
}
