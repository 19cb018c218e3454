// The addresses of every page, by who opens them; the ids are those of what was made before.

const NOWHERE = "nothing-is-here";
const FIGURES = ["available", "pending", "held"];

/** What a browser keeps and does not show. */
export const FILES = [
  "/account/audit/export",
  "/dashboard/{mode}/affiliates/mine/commissions/export",
  "/dashboard/{mode}/affiliates/programs/{id}/commissions/export",
  "/dashboard/{mode}/balance/export",
  "/dashboard/{mode}/balance/withdrawals/export",
  "/dashboard/{mode}/clients/export",
  "/dashboard/{mode}/coupons/export",
  "/dashboard/{mode}/figures/entries/export",
  "/dashboard/{mode}/links/export",
  "/dashboard/{mode}/links/{id}/poster.png",
  "/dashboard/{mode}/products/export",
  "/dashboard/{mode}/subscriptions/export",
  "/dashboard/{mode}/subscriptions/plans/export",
  "/dashboard/{mode}/transactions/export",
];

/** What pages listen to. */
export const STREAM = "/dashboard/{mode}/stream";

/** What leads to another page, or is missing as another page is, which is looked at there. */
export const WITHOUT_A_PICTURE = [
  "/dashboard",
  "/dashboard/{mode}/",
  "/admin/{mode}/",
  "/dashboard/{mode}/views/{id}/delete",
  "/account/audit/views/{id}/delete",
];

export const FOR_STRANGERS = {
  first: (setup) => [setup],
  later: (ids) => [
    "/sign-in", "/sign-up", "/forgot", ids.reset, ids.emailChange, ids.emailStop,
    ids.invited,
  ],
};

export const FOR_MERCHANTS = (ids) => [
  ...homes(ids), ...sales(ids), ...offers(ids), ...recurring(ids), ...partners(ids), ...money(ids),
  ...developers(ids), ...account(ids),
];

export const FOR_ADMINISTRATORS = (ids) => [
  ...["dev", "prod"].flatMap((mode) => [
    "", "/withdrawals", "/advances", "/unknown", "/accounts", "/health", `/${NOWHERE}`,
  ].map((page) => `/admin/${mode}${page}`)),
  "/admin/dev/",
  `/admin/dev/withdrawals/${ids.withdrawal}`,
  `/admin/dev/advances/${ids.advance}`,
  `/admin/dev/unknown/${ids.unknown}`,
  "/admin/prod/reconciliation",
  `/admin/prod/reconciliation/${ids.difference}`,
  "/admin/prod/connections",
  `/admin/prod/connections/${ids.connection}`,
  "/admin/prod/mail",
  `/admin/prod/mail/${ids.unsent}`,
];

function homes({ view }) {
  return [
    "/dashboard", "/dashboard/dev", "/dashboard/prod",
    "/dashboard/dev/figures/entries?kind=sold", "/dashboard/dev/figures/entries/export?kind=sold",
    "/dashboard/dev/search?q=fulano", "/dashboard/dev/search?q=nothing",
    "/dashboard/dev/views?list=transactions&query=status%3DPAID",
    `/dashboard/dev/views/${view}/delete?list=transactions`,
    `/dashboard/dev/${NOWHERE}`, "/dashboard/dev/",
  ];
}

function sales(ids) {
  const states = ["pending", "paid", "boleto", "card", "cancelled", "expired", "refunded",
    "disputed", "lost", "short"];
  const of = "/dashboard/dev/transactions";
  return [
    of, "/dashboard/prod/transactions", `${of}?status=PAID`, `${of}/export`, `${of}/new`,
    "/dashboard/prod/transactions/new", `${of}/unmatched`,
    ...states.map((state) => `${of}/${ids[state]}`),
    `${of}/${ids.paid}/refund`, `${of}/${ids.short}/unmatched/${ids.aside}`,
  ];
}

function offers({ client, coupon, link, product }) {
  const desk = "/dashboard/dev";
  return [
    ...["", "/export", "/new", `/${link}`, `/${link}/carts`, `/${link}/edit`,
      `/${link}/poster.png`, `/${link}/switch-off`].map((page) => `${desk}/links${page}`),
    ...["", "/export", "/new", `/${product}`, `/${product}/edit`, `/${product}/delete`]
      .map((page) => `${desk}/products${page}`),
    ...["", "/export", "/new", `/${coupon}`, `/${coupon}/edit`, `/${coupon}/delete`]
      .map((page) => `${desk}/coupons${page}`),
    ...["", "/export", `/${client}`, `/${client}/edit`, `/${client}/erase`]
      .map((page) => `${desk}/clients${page}`),
  ];
}

function recurring({ active, ending, late, paused, plan, trialing }) {
  return [
    "", "/export", "/metrics", "/metrics/changes", "/plans", "/plans/export", "/plans/new",
    `/plans/${plan}`, `/plans/${plan}/edit`, `/${active}`, `/${late}`, `/${late}/link`,
    `/${late}/retry`, `/${active}/pause`, `/${paused}/resume`, `/${active}/change-plan`,
    `/${active}/cancel`, `/${trialing}/extend-trial`, `/${ending}/reactivate`,
  ].map((page) => `/dashboard/dev/subscriptions${page}`);
}

function partners({ affiliation, open, program }) {
  return [
    ...["", "/programs/new", `/programs/${program}`, `/programs/${program}/edit`,
      `/programs/${program}/delete`, `/programs/${program}/commissions`,
      `/programs/${program}/commissions/export`, "/marketplace", `/marketplace/${open}`, "/mine",
      "/mine/commissions", "/mine/commissions/export", `/mine/links/${affiliation}`]
      .map((page) => `/dashboard/dev/affiliates${page}`),
    ...["", "/rewards", "/withdrawals", "/withdraw"]
      .map((page) => `/dashboard/dev/referrals${page}`),
  ];
}

function money(ids) {
  return [
    ...["", ...FIGURES.map((figure) => `/explain/${figure}`), "/keys", "/keys/new",
      `/keys/${ids.payoutKey}/delete`, "/export", "/receivables", "/advances", "/advances/new",
      `/advances/${ids.advance}`, "/withdraw", "/withdrawals", "/withdrawals/export",
      `/withdrawals/${ids.withdrawal}`, `/withdrawals/${ids.cancelledOut}`]
      .map((page) => `/dashboard/dev/balance${page}`),
    ...["", "/keys", "/keys/new", `/keys/${ids.realKey}/delete`, "/withdraw", "/withdrawals"]
      .map((page) => `/dashboard/prod/balance${page}`),
  ];
}

function developers({ event, key, mail, request, webhook }) {
  return [
    "", "/keys", "/keys/new", `/keys/${key}/rotate`, `/keys/${key}/revoke`, "/webhooks",
    "/webhooks/new", `/webhooks/${webhook}`, `/webhooks/${webhook}/edit`,
    `/webhooks/${webhook}/rotate`, `/webhooks/${webhook}/delete`, "/requests",
    `/requests/${request}`, "/events", `/events/${event}`, "/idempotency", "/clock",
    "/clock/reset", "/mail", `/mail/${mail}`,
  ].map((page) => `/dashboard/dev/developers${page}`);
}

function account({ audited, invitation, member }) {
  return [
    "elevate?next=%2Fdashboard%2Fdev", "profile", "profile/email", "business", "business/edit",
    "business/look", "close", "security", "security/second-step", "security/second-step/remove",
    "security/backup-codes", "security/password", "team", "team/invite",
    `team/invitations/${invitation}`, `team/${member}/role`, `team/${member}/remove`,
    "notifications", "audit", "audit/views?list=audit&query=action%3Dmember.invited",
    `audit/views/${audited}/delete?list=audit`, "audit/export", NOWHERE,
  ].map((page) => `/account/${page}`);
}
