// A shop's server on types that a program makes of the API's document:
//   npx openapi-typescript "$TOSTAO_SERVER/openapi.json" --output schema.d.ts
import { env } from "node:process";

import type { components, operations } from "./schema";

type Schemas = components["schemas"];
type Id = keyof operations;
type Json<Message> = Message extends { content: { "application/json": infer Body } } ? Body : never;
type Body<Name extends Id> = Json<NonNullable<operations[Name]["requestBody"]>>;
type Answer<Name extends Id> = Json<
  operations[Name]["responses"][keyof operations[Name]["responses"] & (200 | 201)]
>;

const SERVER = env["TOSTAO_SERVER"] ?? "http://127.0.0.1:8080";
const KEY = env["TOSTAO_API_KEY"] ?? "";

/** The server refused: the code is for programs, the rest for people. */
class Refused extends Error {
  constructor(readonly error: Schemas["Error"]) {
    super(`${error.code}: ${error.message} (request ${error.requestId}, ${error.docUrl})`);
  }
}

/** Calls an operation of the document. */
async function call<Name extends Id>(
  method: "GET" | "POST", path: string, body?: Body<Name>,
): Promise<Answer<Name>> {
  const headers: Record<string, string> = { "API-Key": KEY, "Content-Type": "application/json" };
  // Who sends a POST again after a timeout sends this again too: then it happens once.
  if (method === "POST") headers["Idempotency-Key"] = crypto.randomUUID();
  const response = await fetch(SERVER + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Refused((await response.json()) as Schemas["Error"]);
  return (await response.json()) as Answer<Name>;
}

/** The transaction, or nothing where this account has none with that ID. */
async function find(id: string): Promise<Schemas["Transaction"] | undefined> {
  try {
    return (await call<"getTransaction">("GET", `/api/v1/transactions/${id}`)).transaction;
  } catch (error) {
    if (error instanceof Refused && error.error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

const title = "Café em grãos, 250 g";
const link = await call<"createPaymentLink">("POST", "/api/v1/payment-links", {
  title, amountCents: 4_990,
});
const sold = await call<"createTransaction">("POST", "/api/v1/transactions?qrCode=none", {
  method: "PIX", paymentLinkId: link.data.id, customer: { name: "Ana", email: "ana@example.com" },
});
const found = await find(sold.transaction.id);
const missing = await find(link.data.id);
console.log(`link ${link.data.url}`);
console.log(`transaction ${found?.id} ${found?.status}, ${missing?.id ?? "no other"}`);
