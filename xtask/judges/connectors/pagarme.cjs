// Pagar.me's own SDK calls the fake, which it takes for the real host: only the socket is another.
//
// Argument: the fake's line of JSON.

const fs = require("node:fs");
const https = require("node:https");
const path = require("node:path");
const tls = require("node:tls");
const sdk = require("@pagarme/pagarme-nodejs-sdk");
const { check, end } = require("./lines.cjs");

const fake = JSON.parse(process.argv[2]);
const ca = fs.readFileSync(path.join(fake.folder, "ca.pem"));
const port = Number(new URL(fake.tls).port);
const httpsAgent = new https.Agent();
const socket = { host: "127.0.0.1", port, servername: "localhost", ca };
httpsAgent.createConnection = () => tls.connect(socket);
const client = new sdk.Client({
  basicAuthCredentials: { username: "sk_1", password: "" },
  httpClientOptions: { httpsAgent },
});
const tokens = new sdk.TokensController(client);
const orders = new sdk.OrdersController(client);
const charges = new sdk.ChargesController(client);
const customers = new sdk.CustomersController(client);
const payables = new sdk.PayablesController(client);

// The SDK's types demand what the bank's own pages call optional; empty, it says nothing.
const address = {
  street: "",
  number: "",
  neighborhood: "",
  complement: "",
  metadata: {},
  line1: "1, Praça da Sé, Sé",
  line2: "Sala 3",
  zipCode: "01001000",
  city: "São Paulo",
  state: "SP",
  country: "BR",
};
const customer = {
  name: "Ana Souza",
  email: "ana@example.com",
  document: "52998224725",
  documentType: "CPF",
  type: "individual",
  code: "",
  metadata: {},
  address,
  phones: { mobilePhone: { countryCode: "55", areaCode: "11", number: "987654321" } },
};
const card = {
  number: "4000000000000010",
  holderName: "Ana Souza",
  expMonth: 12,
  expYear: 2040,
  cvv: "123",
  brand: "",
  label: "",
};

const HOUR = 3_600_000;
const around = [-HOUR, HOUR].map((by) => new Date(Date.now() + by).toISOString());

/** Calls a method; the SDK itself refuses an answer that lacks a required field. */
function call(name, method) {
  return check(`pagarme: ${name}`, async () => (await method()).result);
}

const token = () => call("createToken", () => tokens.createToken("pk_1", { type: "card", card }));

function order(code, source, whose) {
  return {
    code,
    closed: true,
    items: [{ amount: 10000, description: "Curso", quantity: 1, code: "1", category: "" }],
    payments: [
      {
        paymentMethod: "credit_card",
        amount: 10000,
        creditCard: {
          installments: 3,
          statementDescriptor: "LOJA",
          operationType: "auth_and_capture",
          ...source,
        },
      },
    ],
    ip: "203.0.113.7",
    metadata: {},
    ...whose,
  };
}

async function charged() {
  const { id } = await token();
  await call("getToken", () => tokens.getToken(id, "pk_1"));
  const wanted = order("o1", { cardToken: id }, { customer });
  const first = await call("createOrder", () => orders.createOrder(wanted, "o1"));
  const again = await call("createOrder", () => orders.createOrder(wanted, "o1"));
  await check("pagarme: one key is one order", () => {
    if (first.id !== again.id || first.status !== "paid") {
      throw new Error(`${first.id} ${first.status}, then ${again.id}`);
    }
  });
  await call("getOrder", () => orders.getOrder(first.id));
  await call("getOrders", () => orders.getOrders(1, 10, "o1", undefined, ...around));
  return first.charges[0].id;
}

async function refunded(id) {
  const request = { amount: 100, operationReference: "r1" };
  const part = await call("cancelCharge", () => charges.cancelCharge(id, request, "r1"));
  await check("pagarme: a part is refunded", () => {
    if (part.status !== "paid" || part.canceledAmount !== 100) {
      throw new Error(`${part.status} ${part.canceledAmount}`);
    }
  });
  await call("getCharge", () => charges.getCharge(id));
  // By position: the last change up to and since, and the size of a page.
  const [since, until] = around;
  const last = [until, since, undefined, undefined, undefined, 30];
  await call("getPayables", () => payables.getPayables(...Array(8).fill(undefined), ...last));
}

async function stored() {
  const who = await call("createCustomer", () => customers.createCustomer(customer));
  const wish = { token: (await token()).id, options: { verifyCard: true } };
  const kept = await call("createCard", () => customers.createCard(who.id, wish, "k1"));
  await call("getCards", () => customers.getCards(who.id, undefined, 30));
  const wanted = order("o2", { cardId: kept.id }, { customerId: who.id, customer });
  await call("createOrder", () => orders.createOrder(wanted, "o2"));
}

charged().then(refunded).then(stored).then(end);
