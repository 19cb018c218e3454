// What `use.ts` has no room for: lists, events, and mistakes. It is only compiled: what is right
// must compile, and every line under `@ts-expect-error` must not.

import type { components, operations, webhooks } from "./schema";

type Schemas = components["schemas"];
type Json<Message> = Message extends { content: { "application/json": infer Body } } ? Body : never;
type Id = keyof operations;
type Request<Name extends Id> = Json<NonNullable<operations[Name]["requestBody"]>>;
type Transactions = Json<operations["listTransactions"]["responses"][200]>;
type WebhookEvent = {
  [Name in keyof webhooks]: Json<NonNullable<webhooks[Name]["post"]["requestBody"]>>;
}[keyof webhooks];

const order: Request<"createTransaction"> = {
  amountCents: 4_990,
  method: "PIX",
  customer: { name: "Ana", email: "ana@example.com" },
  metadata: { order: "1234", gift: true, weight: 0.5, note: null },
};

// @ts-expect-error: amounts are integers in cents
const amountAsText: Request<"createTransaction"> = { ...order, amountCents: "49.90" };
// @ts-expect-error: there is no such method
const unknownMethod: Request<"createTransaction"> = { ...order, method: "CHEQUE" };
// @ts-expect-error: metadata does not nest
const nestedMetadata: Schemas["Metadata"] = { order: { number: 1234 } };
// @ts-expect-error: a link has a title
const untitledLink: Request<"createPaymentLink"> = { amountCents: 4_990 };

export async function pages(
  read: (path: string) => Promise<Transactions>,
  path: string,
): Promise<Schemas["Transaction"][]> {
  const list = await read(path);
  const next = list.pagination.nextCursor;
  return next ? [...list.data, ...(await pages(read, `${path}?cursor=${next}`))] : list.data;
}

export function handle(event: WebhookEvent): string {
  switch (event.event) {
    case "transaction.paid":
    case "payment.completed":
      return `${event.data.transaction.id} is paid, ${event.data.transaction.amount} cents`;
    case "transaction.refunded":
      return `${event.data.refund.amountCents} of ${event.data.transaction.amount}`;
    case "subscription.payment_failed":
      return `${event.data.subscription.id} owes ${event.data.customer.name}`;
    case "balance.updated":
      return `${event.data.balance.availableBalance} available after ${event.data.reason}`;
    case "payment_link.paid":
      // @ts-expect-error: a paid link has no refund
      return event.data.refund.id;
    default:
      return `${event.event} of ${event.objectId}, version ${event.sequence}`;
  }
}

// @ts-expect-error: there is no such event
export const unknownEvent: WebhookEvent["event"] = "transaction.forgotten";
export const unused = [amountAsText, unknownMethod, nestedMetadata, untitledLink];
