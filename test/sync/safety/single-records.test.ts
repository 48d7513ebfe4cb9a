import { expect, test } from "vitest";
import { accounts, testService } from "../../support/test-service.js";

const service = testService();
const small = testService({ sync: { messageBytes: 300, windowBytes: 600 } });

async function* oneByOne<R>(records: Iterable<R>, then?: Promise<void>): AsyncGenerator<R> {
  yield* records;
  await then;
}

const another = { id: "u0", name: "another" };
const refusal = (index: number) => ({
  code: "INVALID_INPUT",
  issues: [{ collection: "accounts", index, id: "u0", expected: expect.stringContaining("at index 0") }],
});

test.each([1, 127, 128, 129, 300])(
  "refuses one id with different contents after %i single records, and sends neither",
  async (count) => {
    const write = service.run(["accounts"], (batch) =>
      batch.write("accounts", oneByOne([...accounts(count), another])),
    );
    await expect(write).rejects.toMatchObject(refusal(count));
    expect(service.present()).toEqual([]);
    const inMessages = small.run(["accounts"], (batch) =>
      batch.write("accounts", oneByOne([...accounts(count), another, { id: "last" }])),
    );
    await expect(inMessages).rejects.toMatchObject(refusal(count));
    expect(small.present()).not.toContain("last");
  },
);

test("refuses two records with one id and different contents while the source produces the next record", async () => {
  const write = service.run(["accounts"], (batch) =>
    batch.write("accounts", oneByOne([...accounts(2), another], new Promise(() => {}))),
  );
  await expect(write).rejects.toMatchObject(refusal(2));
});

test("reports a repeated id before the invalid records after it", async () => {
  const page = [...accounts(2), another, { id: "" }, { id: "long", name: "x".repeat(16 << 20) }];
  const write = service.run(["accounts"], (batch) => batch.write("accounts", oneByOne([page])));
  const indexes = [2, 3, 4].map((index) => expect.objectContaining({ index }));
  await expect(write).rejects.toMatchObject({ code: "INVALID_INPUT", issues: indexes });
});
