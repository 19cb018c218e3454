// A merchant who has one of everything, and an administrator who has something to decide.
import { APPROVED, Account, DECLINED, DECLINED_LATER } from "./account.mjs";
import { PASSWORD, call } from "./api.mjs";
import { payUnknown } from "./banks.mjs";
import { FULL } from "./mailbox.mjs";
import { picture } from "./picture.mjs";

export const ADMINISTRATOR = "administradora@example.com";
const LONG = "Fulano de Tal Sobrenome Bastante Longo da Silva e Silva";
const FULANO = { name: LONG, email: "fulano@example.com", document: "529.982.247-25" };
const BELTRANA = {
  name: "Beltrana de Tal", email: "beltrana@example.com", document: "111.444.777-35",
};

/** Sets all of it up by the API; answers with the account, and the ids for addresses. */
export async function settle({ base }, mailbox) {
  const shop = await Account.open(base, "Café da Serra");
  const ids = {};
  Object.assign(ids, await goods(shop), await hooks(shop, base));
  Object.assign(ids, await payments(shop));
  Object.assign(ids, await subscriptions(shop));
  Object.assign(ids, await affiliates(shop, base, ids.product));
  Object.assign(ids, await referrals(shop, base));
  Object.assign(ids, await money(shop), await people(shop, base, mailbox), await settings(shop));
  // These are open: time has passed for what was before.
  ids.pending = (await shop.charge(120_000, FULANO)).id;
  ids.boleto = (await shop.charge(32_000, BELTRANA, { method: "BOLETO" })).id;
  return { shop, ids };
}

async function goods(shop) {
  const product = await shop.make("/api/v1/products", {
    name: "Café em grãos, torra média, pacote de 250 g", price: 4_990,
    description: "Torrado na semana do envio.", stockEnabled: true, stockQuantity: 12,
  });
  await shop.make("/api/v1/products", { name: "Curso de barista", price: 120_000 });
  const link = await shop.make("/api/v1/payment-links", {
    title: "Café 250 g", amountCents: 4_990, description: "Torra média.",
  });
  const off = await shop.make("/api/v1/payment-links", { title: "Caneca", amountCents: 4_500 });
  await shop.ask("PATCH", `/api/v1/payment-links/${off.id}`, { status: "INACTIVE" });
  const cart = { clientName: LONG, clientEmail: "fulano@example.com" };
  await shop.make(`/api/payment-links/public/slug/${link.slug}/cart-abandonment`, cart);
  const coupon = await shop.make("/api/v1/coupons", {
    code: "VERAO25", discountType: "PERCENTAGE", discountValue: 12.5, usageLimit: 100,
  });
  return { product: product.id, link: link.id, coupon: coupon.id };
}

/** A webhook that fails, with a key of the API, and what is logged of both. */
async function hooks(shop, base) {
  const nothing = `${base.replace(/:\d+$/u, ":9")}/hook`;
  const webhook = await shop.make("/api/webhooks/subscriptions", { url: nothing, events: ["*"] });
  const wanted = {
    name: "loja-web", environment: "development",
    permissions: ["products:read", "products:write", "transactions:read"],
  };
  const key = await shop.make("/api/credentials", wanted);
  const [made] = await shop.list("/api/credentials");
  const once = { "idempotency-key": "pedido-1" };
  await call(base, "POST", "/api/v1/products", { name: "Filtro", price: 900 }, key.key, once);
  await call(base, "POST", "/api/v1/products", { name: "Caneca", price: -1 }, key.key)
    .catch(() => {});
  const event = await shop.first("/api/webhooks/events");
  const request = await shop.first("/api/requests");
  return { webhook: webhook.id, key: made.id, event: event.id, request: request.requestId };
}

/** A payment in each state. */
async function payments(shop) {
  const paid = await shop.charge(1_248_090, FULANO, { externalId: "pedido-7" });
  await shop.simulate(paid, "PAID");
  await shop.make(`/api/v1/transactions/${paid.id}/receipt`, {});
  const card = await shop.charge(300_000, FULANO, {
    method: "CREDIT_CARD", cardToken: await shop.card(APPROVED), installments: 3,
  });
  await shop.charge(5_000, BELTRANA, {
    method: "CREDIT_CARD", cardToken: await shop.card(DECLINED),
  }).catch(() => {});
  const [cancelled, expired, refunded, disputed, lost, short] = [
    await shop.charge(32_000, FULANO), await shop.charge(2_000, FULANO),
    await shop.charge(9_000, BELTRANA), await shop.charge(8_000, BELTRANA),
    await shop.charge(7_000, BELTRANA), await shop.charge(9_900, BELTRANA),
  ];
  await shop.make(`/api/v1/transactions/${cancelled.id}/cancel`, {});
  await shop.simulate(expired, "EXPIRED");
  for (const one of [refunded, disputed, lost]) await shop.simulate(one, "PAID");
  const refund = { amountCents: 4_000, reason: "Não serviu." };
  await shop.make(`/api/v1/transactions/${refunded.id}/refund`, refund);
  await shop.simulate(disputed, "DISPUTED");
  await shop.simulate(lost, "DISPUTED");
  await shop.simulate(lost, "CHARGED_BACK");
  await shop.simulate(short, "PAID", { paidAmountCents: 5_000 });
  const [aside] = await shop.list(`/api/v1/transactions/${short.id}/unmatched`);
  const [client] = (await shop.ask("GET", "/api/clients")).data;
  const mail = await shop.first("/api/mails");
  return {
    paid: paid.id, card: card.id, cancelled: cancelled.id,
    expired: expired.id, refunded: refunded.id, disputed: disputed.id, lost: lost.id,
    short: short.id, aside: aside.id, client: client.id, mail: mail.id,
  };
}

/** A subscription for each thing that can be done with one. */
async function subscriptions(shop) {
  const draft = { name: "Clube do café", amountCents: 2_990, interval: "MONTHLY" };
  const plan = await shop.make("/api/subscriptions/plans", draft);
  const trial = await shop.make("/api/subscriptions/plans",
    { ...draft, name: "Clube com teste grátis", trialDays: 14 });
  await shop.make("/api/subscriptions/plans",
    { ...draft, name: "Clube maior", amountCents: 5_990 });
  const subscribe = async (of, name, number = APPROVED) => {
    const made = await shop.make("/api/subscriptions/checkout", {
      planId: of.id, customer: { name, email: `${name.toLowerCase()}@example.com` },
      paymentMethod: "CREDIT_CARD", cardToken: await shop.card(number),
    });
    return made.subscription.id;
  };
  const late = await subscribe(trial, "Bia", DECLINED_LATER);
  await shop.advance(15);
  const [active, paused, ending, trialing] = [
    await subscribe(plan, "Caio"), await subscribe(plan, "Davi"), await subscribe(plan, "Eva"),
    await subscribe(trial, "Gil"),
  ];
  await shop.make(`/api/subscriptions/${paused}/pause`, {});
  await shop.make(`/api/subscriptions/${ending}/cancel`, { atPeriodEnd: true });
  return { plan: plan.id, late, active, paused, ending, trialing };
}

/** A program of the shop that another one sells for, and one that the shop sells for. */
async function affiliates(shop, base, product) {
  const other = await Account.open(base, "Bia Lima");
  const terms = { commissionType: "PERCENTAGE", commissionValue: 1_000 };
  const program = await shop.make("/api/affiliate/programs", {
    productId: product, ...terms, rules: "Sem anúncios com o nome da loja.",
    salesPage: "https://example.com/cafe",
  });
  const theirs = await other.make("/api/v1/products",
    { name: "Curso de latte art", price: 19_990 });
  const open = await other.make("/api/affiliate/programs", { productId: theirs.id, ...terms });
  const sell = async (seller, of, affiliate, joined) => {
    const link = await affiliate.make(`/api/affiliate/join/${joined.id}`, {});
    const sale = { items: [{ productId: of, quantity: 1 }], affiliateCode: link.code };
    await seller.simulate(await seller.charge(undefined, BELTRANA, sale), "PAID");
    return link;
  };
  await sell(shop, product, other, program);
  const link = await sell(other, theirs.id, shop, open);
  return { program: program.id, open: open.id, affiliation: link.id };
}

/** A shop that was invited, and has sold. */
async function referrals(shop, base) {
  const { code } = await shop.ask("GET", "/api/referral/code");
  const invited = await Account.open(base, "Padaria da Esquina", { inviteCode: code });
  await invited.simulate(await invited.charge(100_000, FULANO), "PAID");
  return {};
}

/** Keys to withdraw to, withdrawals and advances in their states. */
async function money(shop) {
  const key = { pixKey: "financas@example.com", pixKeyType: "email" };
  const saved = await shop.make("/api/payout-keys", { label: "Conta da empresa", ...key });
  const real = await shop.make("/api/payout-keys", { label: "Conta da empresa", ...key }, "prod");
  const withdraw = (amountCents) => shop.make("/api/withdraws", { amountCents, ...key });
  const withdrawal = await withdraw(10_000);
  const cancelled = await withdraw(20_000);
  await shop.make(`/api/withdraws/${cancelled.id}/cancel`, {});
  const advance = await shop.make("/api/advances",
    { amountCents: 60_000, reason: "Estoque de Natal." });
  return {
    payoutKey: saved.id, realKey: real.id, withdrawal: withdrawal.id, cancelledOut: cancelled.id,
    advance: advance.id,
  };
}

/** A member, an invitation that waits, and one for the page of those who are invited. */
async function people(shop, base, mailbox) {
  const invite = (email) => shop.make("/api/invitations", { email, role: "SUPPORT" });
  const link = /\/invitations\/[\w-]+/u;
  await invite("bia@example.com");
  const accepted = await mailbox.arrived("bia@example.com", link);
  await call(base, "POST", "/api/invitations/accept",
    { token: accepted.split("/").at(-1), name: "Bia Lima Sobrenome Longo", password: PASSWORD });
  const invitation = await invite("caio@example.com");
  await invite(FULL);
  const members = await shop.list("/api/members");
  const { id } = members.find(({ email }) => email === "bia@example.com");
  const invited = await mailbox.arrived("caio@example.com", link);
  return { member: id, invitation: invitation.id, invited };
}

/** The look of the shop, and views of its lists. */
async function settings(shop) {
  await shop.ask("PATCH", "/api/auth/account", { accentColor: "#1a3fa0" });
  await shop.upload("/api/auth/account/logo", picture(160, 44));
  const view = await shop.make("/api/saved-views",
    { list: "transactions", name: "Recusadas", query: "status=FAILED" });
  const audited = await shop.make("/api/saved-views",
    { list: "audit", name: "Equipe", query: "action=member.invited" }, "prod");
  return { view: view.id, audited: audited.id };
}

/** Gives an administrator one of everything that waits for a decision. */
export async function burden(server, acquirer) {
  const admin = await Account.of(server.base, ADMINISTRATOR);
  await payUnknown(server.base, "7.00");
  const connection = await admin.make("/api/admin/connections", {
    name: "pagarme-testes", profile: "pagarme", environment: "sandbox",
    values: {
      secret_key: "sk_test_1", public_key: "pk_test_1", address: acquirer.url,
      notice_keys_address: acquirer.url,
    },
  }, "prod");
  await admin.ask("PUT", "/api/admin/connection-routes/card",
    { connectionId: connection.id, acceptTestMoney: true }, "prod");
  const difference = await admin.first("/api/admin/reconciliation", "prod");
  const mail = await admin.first("/api/admin/mails?status=WAITING", "prod");
  const [unknown] = await admin.list("/api/admin/unmatched");
  return {
    admin,
    ids: {
      connection: connection.id, difference: difference.id, unsent: mail.id, unknown: unknown.id,
    },
  };
}
