// A merchant, through the API that every merchant uses.
import { Account } from "./account.mjs";
import { call } from "./api.mjs";
import { eventually } from "./eventually.mjs";

const PERMISSIONS = [
  "paymentLinks:read", "paymentLinks:write", "products:read", "products:write",
  "transactions:read", "transactions:write", "subscriptions:read", "subscriptions:write",
  "coupons:write", "webhooks:read", "webhooks:write",
];

/** An account with a key of one environment. */
export class Shop {
  #base;
  #key;

  constructor(base, key, email) {
    this.#base = base;
    this.#key = key;
    this.email = email;
  }

  /** Opens an account and makes its key. */
  static async open(base, environment = "development") {
    const owner = await Account.open(base, "Café da Serra");
    const wanted = { name: "Navegador", environment, permissions: PERMISSIONS };
    const { key } = await owner.make("/api/credentials", wanted, "prod");
    return new Shop(base, key, owner.email);
  }

  async product(draft) {
    return (await this.#call("POST", "/api/v1/products", draft)).product;
  }

  async link(draft) {
    return (await this.#call("POST", "/api/v1/payment-links", draft)).data;
  }

  async changeLink(id, changes) {
    await this.#call("PATCH", `/api/v1/payment-links/${id}`, changes);
  }

  async coupon(draft) {
    await this.#call("POST", "/api/v1/coupons", draft);
  }

  async webhook(draft) {
    return (await this.#call("POST", "/api/webhooks/subscriptions", draft)).data;
  }

  /** Waits until something was sent to a webhook. */
  async attempted(id) {
    await eventually("an attempted delivery", async () => {
      const { data } = await this.#call("GET", `/api/webhooks/subscriptions/${id}/deliveries`);
      return data.some(({ attempts }) => attempts > 0);
    });
  }

  /** Asks for what is not given. */
  async refused() {
    await this.#call("POST", "/api/v1/products", { name: "Caneca", price: -1 }).catch(() => {});
  }

  async plan(draft) {
    return (await this.#call("POST", "/api/subscriptions/plans", draft)).data;
  }

  async subscriptions(planId) {
    return (await this.#call("GET", `/api/subscriptions?planId=${planId}`)).data;
  }

  /** Subscribes a buyer by PIX, as a buyer does. */
  async subscribe(planId, customer) {
    const request = { planId, customer, paymentMethod: "PIX" };
    return (await this.#call("POST", "/api/subscriptions/checkout", request)).data;
  }

  /** Issues a PIX without a link. */
  async charge(amountCents, customer, more = {}) {
    const draft = { method: "PIX", amountCents, customer, ...more };
    return (await this.#call("POST", "/api/v1/transactions", draft)).transaction;
  }

  async transaction(id) {
    return (await this.#call("GET", `/api/v1/transactions/${id}`)).transaction;
  }

  /** Lets the sandbox bank confirm the payment. */
  async confirm(id) {
    await this.#call("POST", `/api/v1/transactions/${id}/simulate`, { outcome: "PAID" });
  }

  /** Lets the sandbox bank confirm another amount. */
  async underpay(id, amountCents) {
    const simulation = { outcome: "PAID", paidAmountCents: amountCents };
    await this.#call("POST", `/api/v1/transactions/${id}/simulate`, simulation);
  }

  async cancel(id) {
    await this.#call("POST", `/api/v1/transactions/${id}/cancel`, {});
  }

  async now() {
    return new Date((await this.#call("GET", "/api/dev/clock")).data.now);
  }

  /** Lets time pass for all that this shop sells. */
  async advance(seconds) {
    await this.#call("POST", "/api/dev/clock/advance", { seconds });
  }

  #call(method, path, body) {
    return call(this.#base, method, path, body, this.#key);
  }
}
