import { expect, test } from "bun:test";
import { Payment, type Push } from "../../../sandbox/audit/facts/payment.ts";
import { PaymentBook } from "../../../sandbox/audit/facts/payment-book.ts";

const MOST_PAYMENTS = 2000;
const MOST_WAITING = 8000;

const newPayment = (id: number, isOpen: boolean) => {
  const ids = { id, checkoutRequestId: `ws_${id}`, merchantRequestId: "", merchantId: 1 };
  const payment = new Payment(
    { ...ids, paymentAccountId: 1, phone: "254712345678", amountCents: 100, reference: null },
    0,
  );
  if (isOpen) payment.push = {} as Push;
  return payment;
};

test("the newest 2,000 payments are watched, whatever their numbers are: each replica has blocks of its own", () => {
  const forgotten: number[] = [];
  const book = new PaymentBook(
    () => {},
    ({ number }) => void forgotten.push(number),
  );
  const numberOf = (index: number) => (index % 2) * 100 * MOST_PAYMENTS + Math.floor(index / 2) + 1;
  for (let index = 0; index < MOST_PAYMENTS + 1; index += 1) book.add(newPayment(numberOf(index), false));
  expect(forgotten).toEqual([numberOf(0)]);
  expect([book.byNumber(numberOf(0)), book.byNumber(numberOf(1))?.number]).toEqual([undefined, numberOf(1)]);
  expect([book.wasForgotten(numberOf(0)), [...book.all()].length]).toEqual([true, MOST_PAYMENTS]);
});

test("8,000 older payments wait for their client to learn how they ended, and 300,000 take no more room", () => {
  const forgotten: number[] = [];
  const book = new PaymentBook(
    () => {},
    ({ number }) => void forgotten.push(number),
  );
  for (let number = 1; number <= 300_000; number += 1) book.add(newPayment(number, true));
  expect([...book.all()]).toHaveLength(MOST_PAYMENTS + MOST_WAITING);
  expect(forgotten).toHaveLength(300_000 - MOST_PAYMENTS - MOST_WAITING);
  const oldest = book.byNumber(forgotten.length + 1);
  if (!oldest) throw new Error("the oldest is still there");
  oldest.end = { status: "completed", atMs: 0, order: 0 };
  book.settle(oldest);
  expect(book.byNumber(oldest.number)).toBe(oldest);
  oldest.learned = 1;
  book.settle(oldest);
  expect([book.byNumber(oldest.number), book.byCheckoutId(oldest.checkoutRequestId)]).toEqual([undefined, undefined]);
});
