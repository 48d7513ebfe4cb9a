import { InvalidInputError, sumByCurrency } from "@saas-management/sdk/graphql";
import { Big } from "big.js";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";

type Money = ReturnType<Parameters<typeof sumByCurrency>[1]>;

const itself = (money: Money) => money;

test("adds decimals exactly per currency, with currencies in the order of their first item", async () => {
  const sums = await sumByCurrency(
    [
      { amount: 0.1, currency: "USD" },
      { amount: 5, currency: "EUR" },
      { amount: 0.2, currency: "USD" },
      { amount: "1000000000000000000000.01", currency: "EUR" },
    ],
    itself,
  );
  expect([...sums]).toEqual([
    ["USD", "0.3"],
    ["EUR", "1000000000000000000005.01"],
  ]);
});

test("leaves out items without an amount", async () => {
  const items: Money[] = JSON.parse(
    '[null, {"amount":null,"currency":"GBP"}, {"amount":1,"currency":"USD"}]',
  );
  expect([...(await sumByCurrency(items, itself))]).toEqual([["USD", "1"]]);
});

test("writes plain decimals, without an exponent or a negative zero", async () => {
  const amounts = [1e21, 1e-9, -0, -2.5];
  const items = amounts.map((amount, index) => ({ amount, currency: `C${index}` }));
  const sums = await sumByCurrency(items, itself);
  expect([...sums.values()]).toEqual(["1000000000000000000000", "0.000000001", "0", "-2.5"]);
});

test.each([
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  "",
  "1,5",
  "abc",
  [1],
  "1e900000000",
  "1e-900000000",
  1e300,
])("rejects the amount %j with the index of its item", (amount) => {
  const items: Money[] = [null, Object.assign({ amount: 0, currency: "EUR" }, { amount })];
  const sum = async () => sumByCurrency(items, itself);
  return expect(sum()).rejects.toMatchObject({
    code: "INVALID_INPUT",
    issues: [{ index: 1, path: "amount" }],
  });
});

test.each([null, 5, {}])("rejects the items %j, which are not iterable", async (items) => {
  const sum = Reflect.apply(sumByCurrency, undefined, [items, itself]);
  await expect(sum).rejects.toThrow(InvalidInputError);
});

test.each([null, undefined, ""])("rejects an amount with the currency %j", async (currency) => {
  const sum = Reflect.apply(sumByCurrency, undefined, [[{ amount: 1, currency }], itself]);
  await expect(sum).rejects.toThrow(InvalidInputError);
});

test("adds numbers even if the program has made the shared Big strict", async () => {
  Big.strict = true;
  onTestFinished(() => {
    Big.strict = false;
  });
  expect([...(await sumByCurrency([{ amount: 0.1, currency: "EUR" }], itself))]).toEqual([["EUR", "0.1"]]);
});

test("sums the cents correctly in any order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 1 }), async (cents) => {
      const items = cents.map((cent) => ({ amount: cent / 100, currency: "EUR" }));
      const sum = (await sumByCurrency(items, itself)).get("EUR");
      expect(sum).toBe((await sumByCurrency([...items].reverse(), itself)).get("EUR"));
      const total = cents.reduce((left, right) => left + right, 0);
      expect(Math.round(Number(sum) * 100)).toBe(total);
    }),
    { seed: 1, numRuns: 50 },
  );
});
