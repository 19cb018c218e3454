//! Every URL of the product, on one page.

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use serde_json::Value;

use crate::app::App;
use crate::http::edge;
use crate::openapi::api::{Api, Route};
use crate::providers::sandbox::form_api as sandbox_form;
use crate::{
    advances, affiliates, assets, audit, billing, books, carts, checkout, clients, closing,
    coupons, development, erasure, health, home_pages, merchants, openapi, payment_links, products,
    proof, providers, receivables, referrals, registration, subscribing, subscriptions,
    transactions, webhooks, withdrawals,
};

const ONE_PURPOSE_ONE_PAYER: &str = "Takes exactly one of `amountCents`, `paymentLinkId` and \
    `items`, and exactly one of `customer` and `customerId`.";

const BUYERS_TOO: &str = "The buyer may do it as well, with the `manageToken` that subscribing \
    gave him: as the header `X-Manage-Token`, or in the body.";

/// The whole server, edge included.
pub fn router(app: App) -> Router {
    let (api, _, _) = api().finish();
    api.merge(pages())
        .fallback(edge::not_found)
        .method_not_allowed_fallback(edge::method_not_allowed)
        .layer(from_fn_with_state(app.clone(), edge::edge))
        .with_state(app)
}

/// The description of the API.
pub fn document() -> Value {
    api().finish().1
}

/// Every route of the API and what it needs.
pub fn routes() -> Vec<Route> {
    api().finish().2
}

/// Pages, files, health, and the door for banks: not part of the described API.
fn pages() -> Router<App> {
    Router::new()
        .route("/", get(home_pages::show))
        .route("/pay/{slug}", get(checkout::pay_pages::pay).post(checkout::pay_pages::start))
        .route("/pay/{slug}/t/{id}", get(checkout::pages::show))
        .route("/pay/{slug}/card", get(checkout::card_pages::show).post(checkout::card_pages::pay))
        .route("/pay/{slug}/t/{id}/boleto", get(checkout::slip_pages::page))
        .route("/pay/{slug}/t/{id}/boleto.pdf", get(checkout::slip_pages::file))
        .route("/pay/{slug}/t/{id}/events", get(checkout::pages::events))
        .route("/pay/{slug}/t/{id}/receipt", get(checkout::pages::receipt))
        .route(
            "/pay/{slug}/t/{id}/renew",
            get(checkout::return_pages::from_renewal).post(checkout::pages::renew),
        )
        .route("/pay/{slug}/t/{id}/retry", post(checkout::pages::retry))
        .route("/pay/{slug}/t/{id}/simulate", post(checkout::pages::simulate))
        .merge(subscription_pages())
        .route(sandbox_form::PATH, post(sandbox_form::take))
        .route("/providers/{provider}/pix", post(transactions::callback_api::pix))
        .route("/providers/{provider}/boleto", post(transactions::callback_api::boleto))
        .route("/providers/{provider}/payouts", post(withdrawals::callback_api::payouts))
        .route("/receipts/withdrawals/{id}", get(withdrawals::pages::receipt))
        .route(assets::ROUTE, get(assets::serve))
        .route("/openapi.json", get(openapi::docs::json))
        .route("/api/openapi.json", get(openapi::docs::json))
        .route("/docs", get(openapi::docs::page))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
}

/// The pages of plans, and those of subscribers.
fn subscription_pages() -> Router<App> {
    use subscribing::{card_pages as card, plan_pages as plan};
    use subscribing::{own_cancel_pages as cancel, own_card_pages as own_card, own_pages as own};
    Router::new()
        .route("/subscribe/{planId}", get(plan::show).post(plan::start))
        .route("/subscribe/{planId}/card", get(card::show).post(card::pay))
        .route("/subscription/card", get(own_card::show).post(own_card::keep))
        .route("/subscription/{manageToken}", get(own::show))
        .route("/subscription/{manageToken}/card", get(own_card::begin))
        .route("/subscription/{manageToken}/cancel", get(cancel::show).post(cancel::cancel))
        .route("/subscription/{manageToken}/pause", get(own::back).post(own::pause))
        .route("/subscription/{manageToken}/resume", get(own::back).post(own::resume))
}

fn api() -> Api {
    integration(partners(payouts(recurring(payments(commerce(access(Api::new())))))))
}

fn access(api: Api) -> Api {
    use merchants::sessions_api as sessions;
    use merchants::{api as accounts, clock_api as clock, credentials::api as credentials};
    api.tag("Accounts")
        .post("/api/auth/register", "Open an account", registration::api::register)
        .post("/api/auth/login", "Sign in", accounts::login)
        .post("/api/auth/refresh", "Go on with a session", accounts::refresh)
        .post("/api/auth/logout", "Sign out", accounts::logout)
        .get("/api/auth/me", "Show the signed-in account", accounts::me)
        .post("/api/auth/password", "Change the password", sessions::change_password)
        .post("/api/auth/account/close", "Close the account", closing::api::close)
        .get("/api/auth/sessions", "List sessions", sessions::list)
        .delete("/api/auth/sessions", "End all other sessions", sessions::end_others)
        .delete("/api/auth/sessions/{id}", "End a session", sessions::end)
        .tag("API keys")
        .post("/api/credentials", "Make an API key", credentials::create)
        .get("/api/credentials", "List API keys", credentials::list)
        .post("/api/credentials/{id}/rotate", "Give an API key a new value", credentials::rotate)
        .delete("/api/credentials/{id}", "Revoke an API key", credentials::revoke)
        .tag("Audit log")
        .get("/api/audit", "Read the account's audit log", audit::api::list)
        .get("/api/admin/audit", "Read everybody's audit log", audit::api::list_everybodys)
        .tag("Developer's clock")
        .get("/api/dev/clock", "Read the developer's clock", clock::show)
        .post("/api/dev/clock/advance", "Let time pass", clock::advance)
        .tag("Development data")
        .post("/api/dev/reset", "Start over in development", development::api::reset)
}

fn commerce(api: Api) -> Api {
    use clients::api as clients;
    use coupons::api as coupons;
    use payment_links::api as links;
    use products::api as products;
    use providers::sandbox::api as sandbox;
    api.tag("Products")
        .post("/api/v1/products", "Make a product", products::create)
        .get("/api/v1/products", "List products", products::list)
        .get("/api/v1/products/{id}", "Show a product", products::show)
        .patch("/api/v1/products/{id}", "Change a product", products::update)
        .delete("/api/v1/products/{id}", "Delete a product", products::delete)
        .tag("Coupons")
        .post("/api/v1/coupons", "Make a coupon", coupons::create)
        .get("/api/v1/coupons", "List coupons", coupons::list)
        .get("/api/v1/coupons/{id}", "Show a coupon", coupons::show)
        .patch("/api/v1/coupons/{id}", "Change a coupon", coupons::update)
        .delete("/api/v1/coupons/{id}", "Delete a coupon", coupons::delete)
        .post("/api/coupons/validate", "Try a coupon", checkout::coupon_api::validate)
        .tag("Payment links")
        .post("/api/v1/payment-links", "Make a payment link", links::create)
        .get("/api/v1/payment-links", "List payment links", links::list)
        .get("/api/v1/payment-links/{id}", "Show a payment link", links::show)
        .patch("/api/v1/payment-links/{id}", "Change a payment link", links::update)
        .delete("/api/v1/payment-links/{id}", "Delete a payment link", links::delete)
        .get(
            "/api/v1/payment-links/{id}/cart-abandonments",
            "List what was left on a payment link",
            carts::api::list,
        )
        .tag("Clients")
        .post("/api/clients", "Enter a client", clients::create)
        .get("/api/clients", "List clients", clients::list)
        .get("/api/clients/{id}", "Show a client", clients::show)
        .patch("/api/clients/{id}", "Change a client", clients::update)
        .delete("/api/clients/{id}", "Delete a client", erasure::api::delete)
        .tag("Public checkout")
        .get(
            "/api/payment-links/public/slug/{slug}",
            "Show a link to a buyer",
            checkout::link_api::show,
        )
        .get(
            "/api/payment-links/public/slug/{slug}/installments",
            "List the ways to pay in instalments",
            checkout::instalments_api::installments,
        )
        .post(
            "/api/payment-links/public/slug/{slug}/checkout",
            "Pay through a link",
            checkout::api::checkout,
        )
        .post(
            "/api/payment-links/public/slug/{slug}/cart-abandonment",
            "Note that a buyer began a form",
            carts::public_api::capture,
        )
        .post(
            "/api/payment-links/public/slug/{slug}/cart-abandonment/recover",
            "Note that a buyer came back",
            carts::public_api::recover,
        )
        .get("/api/transactions/public/{id}", "Follow a payment", checkout::api::status)
        .post("/sandbox/card-tokens", "Get a token for a test card", sandbox::create_card_token)
}

fn payments(api: Api) -> Api {
    use crate::transactions::refunds::api as refunds;
    use crate::transactions::unknown::admin_api as unknown;
    use crate::transactions::unmatched::api as unmatched;
    use transactions::api as transactions;
    api.tag("Transactions")
        .post("/api/v1/transactions", "Issue a payment", transactions::create)
        .note(ONE_PURPOSE_ONE_PAYER)
        .get("/api/v1/transactions", "List payments", transactions::list)
        .get("/api/v1/transactions/{id}", "Show a payment", transactions::show)
        .get("/api/v1/transactions/{id}/timeline", "Tell a payment's life", transactions::timeline)
        .get(
            "/api/v1/transactions/{id}/unmatched",
            "List money set aside beside a payment",
            unmatched::list,
        )
        .post(
            "/api/v1/transactions/{id}/unmatched/{unmatchedId}/accept",
            "Accept money that was set aside",
            unmatched::accept,
        )
        .post(
            "/api/v1/transactions/{id}/unmatched/{unmatchedId}/return",
            "Send money that was set aside back",
            unmatched::return_to_payer,
        )
        .post("/api/v1/transactions/{id}/cancel", "Cancel a payment", transactions::cancel)
        .post("/api/v1/transactions/{id}/refund", "Give money back", refunds::create)
        .get("/api/v1/transactions/{id}/refunds", "List a payment's refunds", refunds::list)
        .post("/api/v1/transactions/{id}/simulate", "Simulate an outcome", transactions::simulate)
        .tag("Unmatched payments")
        .get("/api/admin/unmatched", "List payments of unknown charges", unknown::list)
        .get("/api/admin/unmatched/{id}", "Show a payment of an unknown charge", unknown::show)
        .post("/api/admin/unmatched/{id}/match", "Match a payment to a charge", unknown::match_to)
        .post(
            "/api/admin/unmatched/{id}/return",
            "Send a payment of an unknown charge back",
            unknown::return_to_payer,
        )
        .tag("Balance")
        .get("/api/withdraws/balance", "Show the balance", books::api::balance)
        .get("/api/balance/entries", "List the balance's entries", books::api::entries)
        .get("/api/balance/receivables", "List what settles when", receivables::api::list)
        .get("/api/ledger/verify", "Prove the books", proof::api::verify)
}

fn recurring(api: Api) -> Api {
    use billing::{api as changes, checkout_api as checkout};
    use subscriptions::api as records;
    use subscriptions::metrics::api as metrics;
    use subscriptions::plans::{api as plans, public_api as public};
    api.tag("Plans")
        .post("/api/subscriptions/plans", "Make a plan", plans::create)
        .get("/api/subscriptions/plans", "List plans", plans::list)
        .get("/api/subscriptions/plans/{id}", "Show a plan", plans::show)
        .patch("/api/subscriptions/plans/{id}", "Change a plan", plans::update)
        .delete("/api/subscriptions/plans/{id}", "Take no more subscribers", plans::delete)
        .get("/api/subscriptions/public/{planId}", "Show a plan to a buyer", public::show)
        .tag("Subscriptions")
        .post("/api/subscriptions/checkout", "Subscribe to a plan", checkout::checkout)
        .get("/api/subscriptions", "List subscriptions", records::list)
        .get("/api/subscriptions/metrics", "Tell what recurs", metrics::show)
        .get("/api/subscriptions/{id}", "Show a subscription", records::show)
        .post("/api/subscriptions/{id}/cancel", "End a subscription", changes::cancel)
        .note(BUYERS_TOO)
        .post("/api/subscriptions/{id}/reactivate", "Let it go on after all", changes::reactivate)
        .post("/api/subscriptions/{id}/pause", "Pause a subscription", changes::pause)
        .note(BUYERS_TOO)
        .post("/api/subscriptions/{id}/resume", "Go on after a pause", changes::resume)
        .note(BUYERS_TOO)
        .put("/api/subscriptions/{id}/card", "Charge another card", changes::card)
        .note(BUYERS_TOO)
        .post("/api/subscriptions/{id}/retry", "Try a failed payment again", changes::retry)
        .post("/api/subscriptions/{id}/change-plan", "Go over to a plan", changes::change_plan)
        .post("/api/subscriptions/{id}/extend-trial", "Extend a trial", changes::extend_trial)
        .post("/api/subscriptions/{id}/simulate", "Simulate a payment", changes::simulate)
}

fn payouts(api: Api) -> Api {
    use advances::{admin_api as decisions, api as requests};
    use withdrawals::{admin_api as admin, api as withdraws};
    api.tag("Withdrawals")
        .post("/api/withdraws", "Request a withdrawal", withdraws::create)
        .get("/api/withdraws", "List withdrawals", withdraws::list)
        .get("/api/withdraws/{id}", "Show a withdrawal", withdraws::show)
        .post("/api/withdraws/quote", "Tell what a withdrawal would cost", withdraws::quote)
        .post("/api/withdraws/{id}/cancel", "Cancel a withdrawal", withdraws::cancel)
        .post("/api/withdraws/{id}/process", "Approve or reject a withdrawal", admin::process)
        .get("/api/admin/withdraws", "List everybody's withdrawals", admin::list)
        .tag("Advances")
        .post("/api/advances/simulate", "Tell what an advance would cost", requests::simulate)
        .get("/api/advances/available", "Tell how much can be advanced", requests::available)
        .post("/api/advances", "Request an advance", requests::create)
        .get("/api/advances", "List advances", requests::list)
        .get("/api/advances/{id}", "Show an advance", requests::show)
        .post("/api/advances/{id}/cancel", "Cancel an advance", requests::cancel)
        .post("/api/advances/{id}/approve", "Approve an advance", decisions::approve)
        .post("/api/advances/{id}/reject", "Reject an advance", decisions::reject)
        .get("/api/admin/advances", "List everybody's advances", decisions::list)
        .tag("Referral")
        .get("/api/referral/code", "Show the invite code", referrals::api::code)
        .get("/api/referral/history", "List who was invited", referrals::api::history)
        .get("/api/referral/stats", "Show what invitations brought", referrals::api::stats)
        .get("/api/referral/rewards", "List rewards", referrals::api::rewards)
        .post("/api/referral/withdraw", "Move rewards to the balance", referrals::api::withdraw)
        .post(
            "/api/admin/merchants/{id}/verify",
            "Say whether a merchant is verified",
            registration::admin_api::verify_merchant,
        )
}

fn partners(api: Api) -> Api {
    use affiliates::commissions::api as commissions;
    use affiliates::links::api as links;
    use affiliates::programs::api as programs;
    api.tag("Affiliate programmes")
        .post("/api/affiliate/programs", "Make an affiliate programme", programs::create)
        .get("/api/affiliate/programs", "List affiliate programmes", programs::list)
        .get("/api/affiliate/programs/{id}", "Show an affiliate programme", programs::show)
        .patch("/api/affiliate/programs/{id}", "Change an affiliate programme", programs::update)
        .delete("/api/affiliate/programs/{id}", "End an affiliate programme", programs::delete)
        .get("/api/affiliate/programs/{id}/links", "List who has joined", links::enrolled)
        .get(
            "/api/affiliate/programs/{id}/commissions",
            "List what a programme has brought affiliates",
            commissions::list_of_program,
        )
        .patch("/api/affiliate/links/{id}", "Switch an affiliate's link", links::update)
        .tag("Being an affiliate")
        .get("/api/affiliate/marketplace", "List everybody's programmes", programs::marketplace)
        .post("/api/affiliate/join/{programId}", "Join a programme", links::join)
        .get("/api/affiliate/links", "List one's links", links::list)
        .get("/api/affiliate/commissions", "List one's commissions", commissions::list)
        .get("/api/affiliate/stats", "Add up what one's links bring", links::stats)
}

fn integration(api: Api) -> Api {
    use webhooks::{api as second, deliveries::api as deliveries};
    use webhooks::{history::api as history, v1::api as first};
    api.tag("Webhooks")
        .post("/api/v1/webhooks/subscriptions", "Subscribe", first::create)
        .get("/api/v1/webhooks/subscriptions", "List subscriptions", first::list)
        .get("/api/v1/webhooks/subscriptions/{id}", "Show a subscription", first::show)
        .patch("/api/v1/webhooks/subscriptions/{id}", "Change a subscription", first::update)
        .delete("/api/v1/webhooks/subscriptions/{id}", "End a subscription", first::delete)
        .tag("Webhooks, second form")
        .post("/api/webhooks/subscriptions", "Subscribe", second::create)
        .get("/api/webhooks/subscriptions", "List subscriptions", second::list)
        .put("/api/webhooks/subscriptions/{id}", "Change a subscription", second::update)
        .delete("/api/webhooks/subscriptions/{id}", "End a subscription", second::delete)
        .post(
            "/api/webhooks/subscriptions/{id}/rotate-secret",
            "Give a subscription a new secret",
            second::rotate_secret,
        )
        .post("/api/webhooks/subscriptions/{id}/test", "Send a sample event", second::test)
        .get(
            "/api/webhooks/subscriptions/{id}/deliveries",
            "List a subscription's deliveries",
            deliveries::list,
        )
        .get("/api/webhooks/event-types", "List the events", history::event_types)
        .get("/api/webhooks/events", "List what happened", history::list)
        .get("/api/webhooks/events/{id}", "Show an event", history::show)
        .post("/api/webhooks/events/{id}/redeliver", "Send an event again", history::redeliver)
}
