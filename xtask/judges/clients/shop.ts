// A shop's server, as an integrator writes it on the types made from `/openapi.json`. It is only
// compiled: what is right must compile, and every line under `@ts-expect-error` must not.

import type { components, operations, webhooks } from "./schema";

type Schemas = components["schemas"];
type Json<Message> = Message extends { content: { "application/json": infer Body } } ? Body : never;
type Id = keyof operations;
type Request<Name extends Id> = Json<NonNullable<operations[Name]["requestBody"]>>;
type Response<Name extends Id, Status extends keyof operations[Name]["responses"]> = Json<
  operations[Name]["responses"][Status]
>;
type WebhookEvent = {
  [Name in keyof webhooks]: Json<NonNullable<webhooks[Name]["post"]["requestBody"]>>;
}[keyof webhooks];

async function send<Answer>(method: string, path: string, body: unknown): Promise<Answer> {
  const headers = { "API-Key": "a key", "Content-Type": "application/json" };
  const request = { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`https://tostao.example${path}`, request);
  if (response.ok) return (await response.json()) as Answer;
  const error = (await response.json()) as Schemas["Error"];
  throw new Error(`${error.code}: ${error.message} (${error.requestId})`);
}

const customer: Schemas["CustomerRequest"] = { name: "Ana", email: "ana@example.com" };
const order: Request<"createTransaction"> = {
  amountCents: 4_990,
  method: "PIX",
  customer,
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

export async function sell(): Promise<string> {
  const path = "/api/v1/transactions";
  const created = await send<Response<"createTransaction", 201>>("POST", path, order);
  const transaction: Schemas["Transaction"] = created.transaction;
  return transaction.pix?.brCode ?? transaction.paymentUrl;
}

export async function pages(path: string): Promise<Schemas["Transaction"][]> {
  const list = await send<Response<"listTransactions", 200>>("GET", path, undefined);
  const next = list.pagination.nextCursor;
  return next ? [...list.data, ...(await pages(`${path}?cursor=${next}`))] : list.data;
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
