// An account by its owner's access token, with which everything can be done in both modes.
import { randomBytes } from "node:crypto";

import { PASSWORD, call } from "./api.mjs";
import { eventually } from "./eventually.mjs";
import { code } from "./people.mjs";

const MODES = { dev: { "x-dev-mode": "true" }, prod: {} };
/** The card that the simulated acquirer approves, and the one that it declines. */
const CARD = { expMonth: 12, expYear: 2030, cvv: "123", holderName: "FULANO DE TAL" };
export const APPROVED = "4242424242424242";
export const DECLINED = "4000000000000002";
/** It can be kept, and every charge of it is declined. */
export const DECLINED_LATER = "4000000000000341";

export class Account {
  #base;
  #token;

  constructor(base, email, token) {
    this.#base = base;
    this.#token = token;
    this.email = email;
  }

  /** Opens an account, with an invite code where there is one. */
  static async open(base, name, more = {}) {
    const email = `pessoa-${randomBytes(6).toString("hex")}@example.com`;
    await call(base, "POST", "/api/auth/register", { name, email, password: PASSWORD, ...more });
    return Account.of(base, email);
  }

  /** Signs in to an account that is there. */
  static async of(base, email) {
    const login = { email, password: PASSWORD };
    const { accessToken } = await call(base, "POST", "/api/auth/login", login);
    return new Account(base, email, accessToken);
  }

  ask(method, path, body, mode = "dev") {
    return call(this.#base, method, path, body, this.#token, MODES[mode]);
  }

  async list(path, mode = "dev") {
    return (await this.ask("GET", path, undefined, mode)).data;
  }

  async make(path, body, mode = "dev") {
    const made = await this.ask("POST", path, body, mode);
    return made.data ?? made.product ?? made.coupon ?? made.transaction ?? made;
  }

  /** Sends a picture. */
  async upload(path, body) {
    const headers = { "content-type": "image/png", authorization: `Bearer ${this.#token}` };
    const reply = await fetch(this.#base + path, { method: "PUT", headers, body });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
  }

  /** Turns the second step on, as an authenticator app does. */
  async secure() {
    const { secret } = await this.make("/api/two-factor", { password: PASSWORD });
    return this.make("/api/two-factor/confirm", { code: code(secret) });
  }

  /** Waits for the first entry of a list. */
  first(path, mode = "dev") {
    return eventually(`an entry of ${path}`, async () => (await this.list(path, mode))[0]);
  }

  async card(number) {
    const { cardToken } = await call(this.#base, "POST", "/sandbox/card-tokens",
      { number, ...CARD });
    return cardToken;
  }

  charge(amountCents, customer, more = {}) {
    const draft = { method: "PIX", amountCents, customer, ...more };
    return this.make("/api/v1/transactions", draft);
  }

  simulate({ id }, outcome, more = {}) {
    return this.make(`/api/v1/transactions/${id}/simulate`, { outcome, ...more });
  }

  async advance(days) {
    await this.make("/api/dev/clock/advance", { seconds: days * 24 * 3600 });
  }
}
