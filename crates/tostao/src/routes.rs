//! Every URL of the server, in one file.

use axum::Router;
use axum::middleware::from_fn_with_state;
use serde_json::Value;

use crate::app::App;
use crate::middleware;
use crate::openapi::api::{Api, Route};
use crate::platform::openapi::described::{self, Requirements};
use crate::routes::accounts::{
    ELEVATED_IF_ENROLLED, ELEVATED_IN_PRODUCTION, ELEVATED_WITH_KEY, accounts,
};
use crate::statements::api::OF_A_PAYMENT;
use crate::statements::since_withdrawal_api::WHAT_IS_SUMMED;
use crate::{
    affiliates, audit, billing, books, carts, checkout, clients, coupons, development, erasure,
    figures, payment_links, products, providers, receivables, reconciliation, statements,
    subscriptions, transactions, webhooks,
};

mod accounts;
mod buyers_pages;
mod integration;
mod pages;
mod partner_pages;
mod payouts;
pub mod refusals;

const ONE_PURPOSE_ONE_PAYER: &str = "Requires exactly one of `amountCents`, `paymentLinkId` and \
    `items`, and exactly one of `customer` and `customerId`.";

const EXPORTS: &str = "The file has every object of the list, newest first; amounts are in reais \
    and times those of São Paulo, as spreadsheets in Brazil read them.";

const AUDIT_EXPORT: &str = "The file has every entry of the list, newest first; times are those of \
    São Paulo. Members see neither which administrator acted nor from where.";

const BUYERS_TOO: &str = "Buyers may call it with the subscription's `manageToken` instead, in the \
    `X-Manage-Token` header or in the body.";

/// The whole server, middleware included.
pub fn router(app: App) -> Router {
    described::learn(document, requirements);
    router_of(api(), app)
}

/// The server with these operations.
pub fn router_of(api: Api, app: App) -> Router {
    api.into_router()
        .merge(pages::pages(&app))
        .fallback(middleware::not_found)
        .method_not_allowed_fallback(middleware::method_not_allowed)
        .layer(from_fn_with_state(app.clone(), middleware::handle))
        .with_state(app)
}

/// The OpenAPI document.
pub fn document() -> Value {
    api().document()
}

fn requirements() -> Requirements {
    let required = |route: Route| (format!("{} {}", route.method, route.path), route.needs);
    routes().into_iter().map(required).collect()
}

/// Every route of the API and what it requires.
pub fn routes() -> Vec<Route> {
    api().routes()
}

fn api() -> Api {
    let payments = payments(buyers(catalog(access(accounts(Api::default())))));
    let sales = ledger(payment_decisions(payments));
    integration::integration(real_money(partners(payouts::payouts(recurring(sales)))))
}

fn access(api: Api) -> Api {
    use crate::credentials::api as credentials;
    use development::clock_api as clock;
    use webhooks::listeners::api as listeners;
    api.tag("API keys")
        .operation("createApiKey", "Create an API key")
        .post("/api/credentials", credentials::create)
        .note(ELEVATED_IN_PRODUCTION)
        .operation("listApiKeys", "List API keys")
        .get("/api/credentials", credentials::list)
        .operation("rotateApiKey", "Rotate an API key")
        .post("/api/credentials/{id}/rotate", credentials::rotate)
        .note(ELEVATED_IN_PRODUCTION)
        .operation("revokeApiKey", "Revoke an API key")
        .delete("/api/credentials/{id}", credentials::revoke)
        .tag("Audit log")
        .operation("listAuditEntries", "List audit log entries")
        .get("/api/audit", audit::api::list)
        .operation("exportAuditEntries", "Export audit log entries")
        .get("/api/audit/export", audit::export_api::show)
        .note(AUDIT_EXPORT)
        .operation("listAllAuditEntries", "List audit log entries of all accounts")
        .get("/api/admin/audit", audit::api::list_all_accounts)
        .tag("Test clock")
        .operation("getTestClock", "Get the test clock")
        .get("/api/dev/clock", clock::show)
        .operation("advanceTestClock", "Advance the test clock")
        .post("/api/dev/clock/advance", clock::advance)
        .tag("Listeners")
        .operation("createListener", "Create or reopen a listener")
        .post("/api/dev/listeners", listeners::open)
        .operation("listListeners", "List listeners")
        .get("/api/dev/listeners", listeners::list)
        .operation("getListener", "Get a listener")
        .get("/api/dev/listeners/{id}", listeners::show)
        .operation("streamListenerDeliveries", "Stream a listener's deliveries")
        .get("/api/dev/listeners/{id}/deliveries", listeners::stream)
        .operation("answerListenerDelivery", "Answer a delivery of a listener")
        .post("/api/dev/listeners/{id}/deliveries/{eventId}", listeners::answer)
        .operation("deleteListener", "Delete a listener")
        .delete("/api/dev/listeners/{id}", listeners::delete)
        .tag("Development data")
        .operation("resetDevelopmentData", "Reset development data")
        .post("/api/dev/reset", development::api::reset)
}

fn catalog(api: Api) -> Api {
    use clients::api as clients;
    use coupons::api as coupons;
    use payment_links::api as links;
    use products::api as products;
    api.tag("Products")
        .operation("createProduct", "Create a product")
        .post("/api/v1/products", products::create)
        .operation("listProducts", "List products")
        .get("/api/v1/products", products::list)
        .operation("exportProducts", "Export products")
        .get("/api/v1/products/export", crate::products::export_api::show)
        .note(EXPORTS)
        .operation("getProduct", "Get a product")
        .get("/api/v1/products/{id}", products::show)
        .operation("updateProduct", "Update a product")
        .patch("/api/v1/products/{id}", products::update)
        .operation("deleteProduct", "Delete a product")
        .delete("/api/v1/products/{id}", products::delete)
        .tag("Coupons")
        .operation("createCoupon", "Create a coupon")
        .post("/api/v1/coupons", coupons::create)
        .operation("listCoupons", "List coupons")
        .get("/api/v1/coupons", coupons::list)
        .operation("exportCoupons", "Export coupons")
        .get("/api/v1/coupons/export", crate::coupons::export_api::show)
        .note(EXPORTS)
        .operation("getCoupon", "Get a coupon")
        .get("/api/v1/coupons/{id}", coupons::show)
        .operation("updateCoupon", "Update a coupon")
        .patch("/api/v1/coupons/{id}", coupons::update)
        .operation("deleteCoupon", "Delete a coupon")
        .delete("/api/v1/coupons/{id}", coupons::delete)
        .operation("validateCoupon", "Validate a coupon")
        .post("/api/coupons/validate", checkout::coupon_api::validate)
        .tag("Payment links")
        .operation("createPaymentLink", "Create a payment link")
        .post("/api/v1/payment-links", links::create)
        .operation("listPaymentLinks", "List payment links")
        .get("/api/v1/payment-links", links::list)
        .operation("exportPaymentLinks", "Export payment links")
        .get("/api/v1/payment-links/export", crate::payment_links::export_api::show)
        .note(EXPORTS)
        .operation("getPaymentLink", "Get a payment link")
        .get("/api/v1/payment-links/{id}", links::show)
        .operation("updatePaymentLink", "Update a payment link")
        .patch("/api/v1/payment-links/{id}", links::update)
        .operation("deletePaymentLink", "Delete a payment link")
        .delete("/api/v1/payment-links/{id}", links::delete)
        .operation("listCartAbandonments", "List cart abandonments")
        .get("/api/v1/payment-links/{id}/cart-abandonments", carts::api::list)
        .tag("Customers")
        .operation("createCustomer", "Create a customer")
        .post("/api/clients", clients::create)
        .operation("listCustomers", "List customers")
        .get("/api/clients", clients::list)
        .operation("exportCustomers", "Export customers")
        .get("/api/clients/export", crate::clients::export_api::show)
        .note(EXPORTS)
        .operation("getCustomer", "Get a customer")
        .get("/api/clients/{id}", clients::show)
        .operation("updateCustomer", "Update a customer")
        .patch("/api/clients/{id}", clients::update)
        .operation("deleteCustomer", "Delete a customer")
        .delete("/api/clients/{id}", erasure::api::delete)
}

fn buyers(api: Api) -> Api {
    use providers::card_tokens::api as card_tokens;
    api.tag("Checkout")
        .operation("getPublicPaymentLink", "Get a public payment link")
        .get("/api/payment-links/public/slug/{slug}", checkout::link_api::show)
        .operation("listInstallmentOptions", "List installment options")
        .get(
            "/api/payment-links/public/slug/{slug}/installments",
            checkout::installments_api::installments,
        )
        .operation("payPaymentLink", "Pay a payment link")
        .post("/api/payment-links/public/slug/{slug}/checkout", checkout::api::checkout)
        .operation("recordCartAbandonment", "Record a cart abandonment")
        .post("/api/payment-links/public/slug/{slug}/cart-abandonment", carts::public_api::capture)
        .operation("recoverCartAbandonment", "Recover a cart abandonment")
        .post(
            "/api/payment-links/public/slug/{slug}/cart-abandonment/recover",
            carts::public_api::recover,
        )
        .operation("getPublicTransaction", "Get a public transaction")
        .get("/api/transactions/public/{id}", checkout::api::status)
        .operation("createTestCardToken", "Create a test card token")
        .post("/sandbox/card-tokens", card_tokens::create_card_token)
}

fn real_money(api: Api) -> Api {
    use crate::connections::admin_api as connections;
    use crate::connections::differences::admin_api as differences;
    api.tag("Connections")
        .operation("listConnectionProfiles", "List connection profiles")
        .get("/api/admin/connection-profiles", connections::list_profiles)
        .operation("createConnection", "Add a connection")
        .post("/api/admin/connections", connections::create)
        .note("The connection is tested first; nothing is stored if it does not work.")
        .operation("listConnections", "List connections")
        .get("/api/admin/connections", connections::list)
        .operation("getConnection", "Get a connection")
        .get("/api/admin/connections/{id}", connections::show)
        .operation("rotateConnection", "Rotate a connection's values")
        .post("/api/admin/connections/{id}/rotate", connections::rotate)
        .note("The new values are tested first; nothing is changed if they do not work.")
        .operation("testConnection", "Test a connection")
        .post("/api/admin/connections/{id}/test", connections::test)
        .operation("disableConnection", "Disable a connection")
        .post("/api/admin/connections/{id}/disable", connections::disable)
        .note("No rail goes to it any more; what is under way is finished.")
        .operation("enableConnection", "Enable a connection")
        .post("/api/admin/connections/{id}/enable", connections::enable)
        .note(ELEVATED_IF_ENROLLED)
        .operation("updateConnectionRoute", "Update a rail's route")
        .put("/api/admin/connection-routes/{rail}", connections::route)
        .note(ELEVATED_IF_ENROLLED)
        .operation("deleteConnectionRoute", "Delete a rail's route")
        .delete("/api/admin/connection-routes/{rail}", connections::unroute)
        .note("New charges or payouts of the rail are refused.")
        .tag("Reconciliation")
        .operation("listDifferences", "List differences")
        .get("/api/admin/reconciliation", differences::list)
        .note(differences::WHAT_THEY_ARE)
        .operation("getDifference", "Get a difference")
        .get("/api/admin/reconciliation/{id}", differences::show)
        .operation("resolveDifference", "Resolve a difference")
        .post("/api/admin/reconciliation/{id}/resolve", differences::resolve)
        .note(differences::RULES)
}

fn payments(api: Api) -> Api {
    use crate::transactions::receipts::api as receipts;
    use crate::transactions::refunds::api as refunds;
    use crate::transactions::unmatched::api as unmatched;
    use transactions::api as transactions;
    api.tag("Transactions")
        .operation("createTransaction", "Create a transaction")
        .post("/api/v1/transactions", transactions::create)
        .note(ONE_PURPOSE_ONE_PAYER)
        .operation("listTransactions", "List transactions")
        .get("/api/v1/transactions", transactions::list)
        .operation("exportTransactions", "Export transactions")
        .get("/api/v1/transactions/export", crate::transactions::export_api::show)
        .note(EXPORTS)
        .operation("getTransaction", "Get a transaction")
        .get("/api/v1/transactions/{id}", transactions::show)
        .operation("getTransactionTimeline", "Get a transaction's timeline")
        .get("/api/v1/transactions/{id}/timeline", transactions::timeline)
        .operation("listUnmatchedPayments", "List unmatched payments")
        .get("/api/v1/transactions/{id}/unmatched", unmatched::list)
        .operation("listOpenUnmatchedPayments", "List unmatched payments that await a decision")
        .get("/api/v1/unmatched-payments", unmatched::list_waiting)
        .operation("acceptUnmatchedPayment", "Accept an unmatched payment")
        .post("/api/v1/transactions/{id}/unmatched/{unmatchedId}/accept", unmatched::accept)
        .operation("returnUnmatchedPayment", "Return an unmatched payment")
        .post(
            "/api/v1/transactions/{id}/unmatched/{unmatchedId}/return",
            unmatched::return_to_payer,
        )
        .note(ELEVATED_WITH_KEY)
        .operation("cancelTransaction", "Cancel a transaction")
        .post("/api/v1/transactions/{id}/cancel", transactions::cancel)
        .operation("refundTransaction", "Refund a transaction")
        .post("/api/v1/transactions/{id}/refund", refunds::create)
        .note(ELEVATED_WITH_KEY)
        .operation("listRefunds", "List a transaction's refunds")
        .get("/api/v1/transactions/{id}/refunds", refunds::list)
        .operation("sendReceipt", "Send a transaction's receipt to its customer")
        .post("/api/v1/transactions/{id}/receipt", receipts::create)
        .note(receipts::RULES)
        .operation("simulateTransaction", "Simulate a transaction's outcome")
        .post("/api/v1/transactions/{id}/simulate", transactions::simulate)
}

/// What administrators decide on about payments of real money.
fn payment_decisions(api: Api) -> Api {
    use crate::transactions::charge_admin_api as charges;
    use crate::transactions::disputes::admin_api as disputes;
    use crate::transactions::refunds::admin_api as refund_decisions;
    use crate::transactions::unknown::admin_api as unknown;
    api.tag("Disputes")
        .operation("resolveDispute", "Resolve a dispute about real money")
        .post("/api/admin/disputes/{transactionId}/resolve", disputes::resolve)
        .note("Where the acquirer or the bank reports no end; the payment must be disputed.")
        .tag("Unresolved refunds and charges")
        .operation("resolveRefund", "Resolve a pending refund of real money")
        .post("/api/admin/refunds/{id}/resolve", refund_decisions::resolve)
        .note(refund_decisions::RULES)
        .operation("resolveCharge", "Resolve an undecided card charge of real money")
        .post("/api/admin/charges/{transactionId}/resolve", charges::resolve)
        .note(charges::RULES)
        .tag("Unknown payments")
        .operation("listUnknownPayments", "List unknown payments")
        .get("/api/admin/unmatched", unknown::list)
        .operation("getUnknownPayment", "Get an unknown payment")
        .get("/api/admin/unmatched/{id}", unknown::show)
        .operation("matchUnknownPayment", "Match an unknown payment")
        .post("/api/admin/unmatched/{id}/match", unknown::match_to)
        .note(ELEVATED_IF_ENROLLED)
        .operation("resolveUnknownPayment", "Resolve a PIX that may have paid a boleto")
        .post("/api/admin/unmatched/{id}/resolve", unknown::resolve)
        .note(unknown::RESOLVE_RULES)
        .operation("returnUnknownPayment", "Return an unknown payment")
        .post("/api/admin/unmatched/{id}/return", unknown::return_to_payer)
        .note(ELEVATED_IF_ENROLLED)
        .operation("dismissUnknownPayment", "Dismiss an unknown payment")
        .post("/api/admin/unmatched/{id}/dismiss", unknown::dismiss)
        .note("Closes an unreadable report that is about no transaction; other payments are 409.")
}

fn ledger(api: Api) -> Api {
    api.tag("Balance")
        .operation("getBalance", "Get the balance")
        .get("/api/withdraws/balance", books::api::balance)
        .operation("listBalanceEntries", "List balance entries")
        .get("/api/balance/entries", statements::api::entries)
        .note(OF_A_PAYMENT)
        .operation("exportBalanceEntries", "Export balance entries")
        .get("/api/balance/entries/export", statements::api::export_entries)
        .note(EXPORTS)
        .operation("getBalanceSinceWithdrawal", "Get what came since a withdrawal")
        .get("/api/balance/since-withdrawal", statements::since_withdrawal_api::show)
        .note(WHAT_IS_SUMMED)
        .operation("getBalanceExplanation", "Explain a figure of the balance")
        .get("/api/balance/explain", figures::explanation::api::show)
        .operation("listReceivables", "List receivables")
        .get("/api/balance/receivables", receivables::api::list)
        .operation("verifyLedger", "Verify the ledger")
        .get("/api/ledger/verify", reconciliation::api::verify)
        .operation("getFigures", "Get the figures of a period")
        .get("/api/figures", figures::api::show)
        .operation("listFigureEntries", "List the entries of a figure")
        .get("/api/figures/entries", figures::api::entries)
        .operation("exportFigureEntries", "Export the entries of a figure")
        .get("/api/figures/entries/export", figures::api::export_entries)
        .note(EXPORTS)
}

fn recurring(api: Api) -> Api {
    use billing::{api as changes, checkout_api as checkout, reading_api as reading};
    use subscriptions::api as records;
    use subscriptions::metrics::api as metrics;
    use subscriptions::plans::{api as plans, public_api as public};
    api.tag("Plans")
        .operation("createPlan", "Create a plan")
        .post("/api/subscriptions/plans", plans::create)
        .operation("listPlans", "List plans")
        .get("/api/subscriptions/plans", plans::list)
        .operation("exportPlans", "Export plans")
        .get("/api/subscriptions/plans/export", subscriptions::plans::export_api::show)
        .note(EXPORTS)
        .operation("getPlan", "Get a plan")
        .get("/api/subscriptions/plans/{id}", plans::show)
        .operation("updatePlan", "Update a plan")
        .patch("/api/subscriptions/plans/{id}", plans::update)
        .operation("archivePlan", "Archive a plan")
        .delete("/api/subscriptions/plans/{id}", plans::delete)
        .operation("getPublicPlan", "Get a public plan")
        .get("/api/subscriptions/public/{planId}", public::show)
        .tag("Subscriptions")
        .operation("createSubscription", "Create a subscription")
        .post("/api/subscriptions/checkout", checkout::checkout)
        .operation("listSubscriptions", "List subscriptions")
        .get("/api/subscriptions", records::list)
        .operation("exportSubscriptions", "Export subscriptions")
        .get("/api/subscriptions/export", crate::subscriptions::export_api::show)
        .note(EXPORTS)
        .operation("getSubscriptionMetrics", "Get subscription metrics")
        .get("/api/subscriptions/metrics", metrics::show)
        .operation("listSubscriptionChanges", "List changes of the recurring revenue")
        .get("/api/subscriptions/metrics/changes", metrics::changes)
        .operation("getSubscription", "Get a subscription")
        .get("/api/subscriptions/{id}", records::show)
        .operation("listSubscriptionPayments", "List the payments of a subscription")
        .get("/api/subscriptions/{id}/payments", reading::payments)
        .operation("createSubscriptionManageLink", "Get the subscriber's own address")
        .post("/api/subscriptions/{id}/manage-link", reading::link)
        .operation("cancelSubscription", "Cancel a subscription")
        .post("/api/subscriptions/{id}/cancel", changes::cancel)
        .note(BUYERS_TOO)
        .operation("reactivateSubscription", "Undo a scheduled cancellation")
        .post("/api/subscriptions/{id}/reactivate", changes::reactivate)
        .operation("pauseSubscription", "Pause a subscription")
        .post("/api/subscriptions/{id}/pause", changes::pause)
        .note(BUYERS_TOO)
        .operation("resumeSubscription", "Resume a subscription")
        .post("/api/subscriptions/{id}/resume", changes::resume)
        .note(BUYERS_TOO)
        .operation("updateSubscriptionCard", "Update a subscription's card")
        .put("/api/subscriptions/{id}/card", changes::card)
        .note(BUYERS_TOO)
        .operation("retrySubscriptionPayment", "Retry a failed payment")
        .post("/api/subscriptions/{id}/retry", changes::retry)
        .operation("changeSubscriptionPlan", "Change a subscription's plan")
        .post("/api/subscriptions/{id}/change-plan", changes::change_plan)
        .operation("extendSubscriptionTrial", "Extend a trial")
        .post("/api/subscriptions/{id}/extend-trial", changes::extend_trial)
        .operation("simulateSubscriptionPayment", "Simulate a subscription's payment")
        .post("/api/subscriptions/{id}/simulate", changes::simulate)
}

fn partners(api: Api) -> Api {
    use affiliates::commissions::{api as commissions, export_api as files};
    use affiliates::links::api as links;
    use affiliates::programs::api as programs;
    api.tag("Affiliate programs")
        .operation("createAffiliateProgram", "Create an affiliate program")
        .post("/api/affiliate/programs", programs::create)
        .operation("listAffiliatePrograms", "List affiliate programs")
        .get("/api/affiliate/programs", programs::list)
        .operation("getAffiliateProgram", "Get an affiliate program")
        .get("/api/affiliate/programs/{id}", programs::show)
        .operation("updateAffiliateProgram", "Update an affiliate program")
        .patch("/api/affiliate/programs/{id}", programs::update)
        .operation("deleteAffiliateProgram", "Delete an affiliate program")
        .delete("/api/affiliate/programs/{id}", programs::delete)
        .operation("listProgramAffiliateLinks", "List a program's affiliate links")
        .get("/api/affiliate/programs/{id}/links", links::enrolled)
        .operation("listProgramCommissions", "List a program's commissions")
        .get("/api/affiliate/programs/{id}/commissions", commissions::list_of_program)
        .operation("exportProgramCommissions", "Export a program's commissions")
        .get("/api/affiliate/programs/{id}/commissions/export", files::show_of_program)
        .note(EXPORTS)
        .operation("updateAffiliateLink", "Update an affiliate link")
        .patch("/api/affiliate/links/{id}", links::update)
        .tag("Affiliates")
        .operation("listMarketplacePrograms", "List programs in the marketplace")
        .get("/api/affiliate/marketplace", programs::marketplace)
        .operation("getMarketplaceProgram", "Get a program of the marketplace")
        .get("/api/affiliate/marketplace/{id}", programs::show_open)
        .operation("joinAffiliateProgram", "Join an affiliate program")
        .post("/api/affiliate/join/{programId}", links::join)
        .operation("listAffiliateLinks", "List affiliate links")
        .get("/api/affiliate/links", links::list)
        .operation("getAffiliateLink", "Get an affiliate link")
        .get("/api/affiliate/links/{id}", links::show)
        .operation("listCommissions", "List commissions")
        .get("/api/affiliate/commissions", commissions::list)
        .operation("exportCommissions", "Export commissions")
        .get("/api/affiliate/commissions/export", files::show)
        .note(EXPORTS)
        .operation("getAffiliateStats", "Get affiliate statistics")
        .get("/api/affiliate/stats", links::stats)
}
