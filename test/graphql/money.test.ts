import { InvalidInputError, type MoneyAmount, sumByCurrency } from "@saas-management/sdk/graphql";
import { Big } from "big.js";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";

const itself = (money: MoneyAmount | null | undefined) => money;

describe("sumByCurrency", () => {
  it("adds decimals exactly, each currency for itself, in the order in which they are met", () => {
    const sums = sumByCurrency(
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

  it("leaves out what has no amount, and currencies that only such items have", () => {
    const items = [null, undefined, { amount: null, currency: "GBP" }, { amount: 1, currency: "USD" }];
    expect([...sumByCurrency(items, itself)]).toEqual([["USD", "1"]]);
  });

  it("writes plain decimals: no exponent, no negative zero", () => {
    const sums = sumByCurrency(
      [
        { amount: 1e21, currency: "A" },
        { amount: 1e-9, currency: "B" },
        { amount: -0, currency: "C" },
        { amount: -2.5, currency: "D" },
      ],
      itself,
    );
    expect([...sums.values()]).toEqual(["1000000000000000000000", "0.000000001", "0", "-2.5"]);
  });

  it("finds the amounts with the selector", () => {
    const licenses = [{ potentialSaving: { amount: 12.5, currency: "EUR" } }, { potentialSaving: null }];
    expect(sumByCurrency(licenses, (license) => license.potentialSaving).get("EUR")).toBe("12.5");
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, "", "1,5", "abc"])(
    "refuses the amount %j, naming the item",
    (amount) => {
      const items = [null, { amount, currency: "EUR" }];
      expect(() => sumByCurrency(items, itself)).toThrow(InvalidInputError);
      expect(() => sumByCurrency(items, itself)).toThrow(/item 1/);
    },
  );

  it.each([null, undefined, ""])("refuses an amount with the currency %j", (currency) => {
    expect(() => sumByCurrency([{ amount: 1, currency }], itself)).toThrow(InvalidInputError);
  });

  it("adds numbers up where the program has made the shared Big strict", () => {
    Big.strict = true;
    onTestFinished(() => {
      Big.strict = false;
    });
    expect([...sumByCurrency([{ amount: 0.1, currency: "EUR" }], itself)]).toEqual([["EUR", "0.1"]]);
  });

  it("adds up an async iterable as it comes", async () => {
    async function* items() {
      yield { amount: 0.1, currency: "USD" };
      yield { amount: 0.7, currency: "USD" };
    }
    const sums = sumByCurrency(items(), itself);
    expect([...(await sums)]).toEqual([["USD", "0.8"]]);
  });

  it("gives the same sum in any order, that of whole cents", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 1 }), (cents) => {
        const items = cents.map((cent) => ({ amount: cent / 100, currency: "EUR" }));
        const sum = sumByCurrency(items, itself).get("EUR");
        expect(sum).toBe(sumByCurrency([...items].reverse(), itself).get("EUR"));
        const total = cents.reduce((left, right) => left + right, 0);
        expect(Math.round(Number(sum) * 100)).toBe(total);
      }),
    );
  });
});
