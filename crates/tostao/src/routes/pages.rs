//! The URLs that are not part of the API: pages, files, health, and callbacks of banks.

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use sandbox::CARD_FORM;

use crate::app::App;
use crate::dashboard::deletion_pages as deletion;
use crate::dashboard::form_pages::{create, edit, new, save};
use crate::merchants::look::files_api as look;
use crate::platform::assets;
use crate::providers::card_tokens::form_api as card_form;
use crate::routes::buyers_pages::buyers_pages;
use crate::routes::partner_pages::{affiliate_pages, referral_pages};
use crate::webhooks::WebhookEndpoint;
use crate::withdrawals::payout_keys::PayoutKey;
use crate::{
    connections, coupons, dashboard, guides, health, home_pages, openapi, products, transactions,
    withdrawals,
};

/// Pages, files, health and the callbacks of banks: not part of the OpenAPI document.
pub fn pages(app: &App) -> Router<App> {
    Router::new()
        .route("/", get(home_pages::show))
        .merge(buyers_pages(app))
        .merge(dashboard_pages(app))
        .route(CARD_FORM, post(card_form::take))
        .route(
            "/providers/{provider}",
            get(connections::notices_api::probe).post(connections::notices_api::notices),
        )
        .route(
            "/providers/{provider}/pix",
            get(connections::notices_api::probe).post(connections::notices_api::pix),
        )
        .route("/providers/{provider}/boleto", post(transactions::callback_api::boleto))
        .route("/providers/{provider}/payouts", post(withdrawals::callback_api::payouts))
        .route("/receipts/withdrawals/{id}", get(withdrawals::pages::receipt))
        .route(assets::ROUTE, get(assets::serve))
        .route(look::ACCENT_ROUTE, get(look::accent))
        .route(look::LOGO_ROUTE, get(look::logo))
        .route("/openapi.json", get(openapi::docs::json))
        .route("/api/openapi.json", get(openapi::docs::json))
        .route("/docs", get(openapi::docs::index))
        .route("/docs/api/{tag}", get(openapi::docs::tag))
        .route("/docs/{*guide}", get(guides::pages::show))
        .route("/llms.txt", get(guides::pages::for_models))
        .route("/llms-full.txt", get(guides::pages::for_models_in_full))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
}

/// The pages of the people of accounts; `dashboard::frame_pages` wraps all of them.
fn dashboard_pages(app: &App) -> Router<App> {
    use dashboard::entry::{
        code_pages as code, email_pages as email, invitation_pages as invitation,
        reset_pages as reset, session_pages as session, setup_pages as setup,
        sign_in_pages as sign_in, sign_up_pages as sign_up,
    };
    use dashboard::links::form::LinkForm as Link;
    use dashboard::links::{
        carts_pages as carts, link_pages as link, list_pages as links, new_pages as new,
        switch_pages as switched,
    };
    use dashboard::views::views_pages as views;
    use dashboard::{figures, frame_pages as frame, home, search};
    let entry = Router::new()
        .route("/sign-in", get(sign_in::show).post(sign_in::sign_in))
        .route("/sign-in/code", post(code::sign_in))
        .route("/forgot", get(reset::show).post(reset::ask))
        .route("/reset/{token}", get(reset::open).post(reset::set_password))
        .route("/email-change/{token}", get(email::show).post(email::confirm))
        .route("/email-change/{token}/stop", get(email::show_stop).post(email::stop))
        .route("/setup/{token}", get(setup::show).post(setup::set_up))
        .route("/sign-up", get(sign_up::show).post(sign_up::sign_up))
        .route("/invitations/{token}", get(invitation::show).post(invitation::accept))
        .route_layer(from_fn_with_state(app.clone(), session::secure));
    entry
        .route("/sign-out", post(session::sign_out))
        .route("/dashboard", get(session::open))
        .route("/dashboard/{mode}", get(home::home_pages::show))
        .route("/dashboard/{mode}/figures/entries", get(figures::entries_pages::show))
        .route("/dashboard/{mode}/figures/entries/export", get(figures::entries_pages::export))
        .route("/dashboard/{mode}/search", get(search::search_pages::show))
        .route("/dashboard/{mode}/stream", get(dashboard::live_pages::stream))
        .route("/dashboard/{mode}/views", get(views::show).post(views::save))
        .route("/dashboard/{mode}/views/{id}/delete", get(views::find).post(views::delete))
        .route("/dashboard/{mode}/links", get(links::show))
        .route("/dashboard/{mode}/links/export", get(links::export))
        .route("/dashboard/{mode}/links/new", get(new::show).post(new::create))
        .route("/dashboard/{mode}/links/{id}", get(link::show))
        .route("/dashboard/{mode}/links/{id}/carts", get(carts::show))
        .route("/dashboard/{mode}/links/{id}/edit", get(edit::<Link>).post(save::<Link>))
        .route("/dashboard/{mode}/links/{id}/poster.png", get(link::poster))
        .route(
            "/dashboard/{mode}/links/{id}/switch-off",
            get(switched::show).post(switched::switch_off),
        )
        .route("/dashboard/{mode}/links/{id}/switch-on", post(switched::switch_on))
        .merge(payment_pages())
        .merge(admin_pages())
        .merge(account_pages())
        .merge(balance_pages())
        .merge(developers_pages())
        .merge(client_pages())
        .merge(coupon_pages())
        .merge(affiliate_pages())
        .merge(referral_pages())
        .merge(product_pages())
        .merge(recurring_pages())
        .route("/dashboard/{mode}/", get(frame::not_found).post(frame::not_found))
        .route("/dashboard/{mode}/{*rest}", get(frame::not_found).post(frame::not_found))
        .route_layer(from_fn_with_state(app.clone(), frame::frame))
}

/// The pages about payments.
fn payment_pages() -> Router<App> {
    use dashboard::transactions::unmatched::{decide_pages as decide, list_pages as unmatched};
    use dashboard::transactions::{
        act_pages as act, list_pages as list, new_pages as new, payment_pages as payment,
        refund_pages as refund,
    };
    Router::new()
        .route("/dashboard/{mode}/transactions", get(list::show))
        .route("/dashboard/{mode}/transactions/export", get(list::export))
        .route("/dashboard/{mode}/transactions/new", get(new::show).post(new::create))
        .route("/dashboard/{mode}/transactions/unmatched", get(unmatched::show))
        .route("/dashboard/{mode}/transactions/{id}", get(payment::show))
        .route("/dashboard/{mode}/transactions/{id}/cancel", post(payment::cancel))
        .route("/dashboard/{mode}/transactions/{id}/receipt", post(act::send_receipt))
        .route("/dashboard/{mode}/transactions/{id}/simulate", post(act::simulate))
        .route("/dashboard/{mode}/transactions/{id}/refund", get(refund::show).post(refund::review))
        .route("/dashboard/{mode}/transactions/{id}/refund/confirm", post(refund::confirm))
        .route(
            "/dashboard/{mode}/transactions/{id}/unmatched/{unmatchedId}",
            get(decide::show).post(decide::review),
        )
        .route(
            "/dashboard/{mode}/transactions/{id}/unmatched/{unmatchedId}/confirm",
            post(decide::confirm),
        )
}

/// The pages of administrators.
fn admin_pages() -> Router<App> {
    use crate::advances::Advance;
    use crate::connections::RoutedConnection;
    use crate::connections::differences::Difference;
    use crate::mail::Mail;
    use crate::transactions::unknown::UnknownPayment;
    use crate::withdrawals::Withdrawal;
    use dashboard::admin::decision_pages::{decide, show};
    use dashboard::admin::{
        accounts_pages as accounts, advances_pages as advances, connections_pages as connections,
        health_pages as health, index_pages as index, mail_pages as mails,
        reconciliation_pages as differences, unknown_pages as unknown,
        withdrawals_pages as withdrawals,
    };
    use dashboard::frame_pages as frame;
    Router::new()
        .route("/admin/{mode}", get(index::show))
        .route("/admin/{mode}/withdrawals", get(withdrawals::list))
        .route("/admin/{mode}/withdrawals/{id}", get(show::<Withdrawal>))
        .route("/admin/{mode}/withdrawals/{id}/decide", post(decide::<Withdrawal>))
        .route("/admin/{mode}/advances", get(advances::list))
        .route("/admin/{mode}/advances/{id}", get(show::<Advance>))
        .route("/admin/{mode}/advances/{id}/decide", post(decide::<Advance>))
        .route("/admin/{mode}/unknown", get(unknown::list))
        .route("/admin/{mode}/unknown/{id}", get(show::<UnknownPayment>))
        .route("/admin/{mode}/unknown/{id}/decide", post(decide::<UnknownPayment>))
        .route("/admin/{mode}/reconciliation", get(differences::list))
        .route("/admin/{mode}/reconciliation/{id}", get(show::<Difference>))
        .route("/admin/{mode}/reconciliation/{id}/decide", post(decide::<Difference>))
        .route("/admin/{mode}/connections", get(connections::list))
        .route("/admin/{mode}/connections/{id}", get(show::<RoutedConnection>))
        .route("/admin/{mode}/connections/{id}/decide", post(decide::<RoutedConnection>))
        .route("/admin/{mode}/accounts", get(accounts::show))
        .route("/admin/{mode}/mail", get(mails::list))
        .route("/admin/{mode}/mail/{id}", get(show::<Mail>))
        .route("/admin/{mode}/mail/{id}/decide", post(decide::<Mail>))
        .route("/admin/{mode}/health", get(health::show))
        .route("/admin/{mode}/", get(frame::not_found).post(frame::not_found))
        .route("/admin/{mode}/{*rest}", get(frame::not_found).post(frame::not_found))
}

/// The pages about a person and their account.
fn account_pages() -> Router<App> {
    use dashboard::account::audit::audit_pages as audit;
    use dashboard::account::security::{
        codes_pages as codes, password_pages as password, second_step_pages as step,
        security_pages as security,
    };
    use dashboard::account::team::{
        invitation_pages as invitation, invite_pages as invite, removal_pages as removal,
        role_pages as role, team_pages as team,
    };
    use dashboard::account::{
        business_pages as business, close_pages as close, elevate_pages as elevate,
        email_pages as email, look_pages as look, notices_pages as notices,
        profile_pages as profile, switch_pages as switch,
    };
    use dashboard::frame_pages as frame;
    use dashboard::views::views_pages as views;
    Router::new()
        .route("/account/elevate", get(elevate::show).post(elevate::elevate))
        .route("/account/switch", post(switch::switch))
        .route("/account/profile", get(profile::show).post(profile::save))
        .route("/account/profile/email", get(email::show).post(email::change))
        .route("/account/profile/email/cancel", post(email::cancel))
        .route("/account/business", get(business::show))
        .route("/account/business/edit", get(business::edit).post(business::save))
        .route("/account/business/look", get(look::show).post(look::save))
        .route(look::UPLOAD, post(look::set_logo))
        .route("/account/business/look/clear", post(look::remove_logo))
        .route("/account/close", get(close::show).post(close::close))
        .route("/account/security", get(security::show))
        .route("/account/security/end", post(security::end))
        .route("/account/security/second-step", get(step::show).post(step::begin))
        .route("/account/security/second-step/confirm", post(step::confirm))
        .route("/account/security/second-step/remove", get(step::show_removal).post(step::remove))
        .route("/account/security/backup-codes", get(codes::show).post(codes::renew))
        .route("/account/security/password", get(password::show).post(password::change))
        .route("/account/team", get(team::show))
        .route("/account/team/invite", get(invite::show).post(invite::invite))
        .route("/account/team/invitations/{id}", get(invitation::show))
        .route("/account/team/invitations/{id}/resend", post(invitation::resend))
        .route("/account/team/invitations/{id}/cancel", post(invitation::take_back))
        .route("/account/team/{id}/role", get(role::show).post(role::change))
        .route("/account/team/{id}/remove", get(removal::show).post(removal::remove))
        .route("/account/notifications", get(notices::show).post(notices::save))
        .route("/account/audit", get(audit::show))
        .route("/account/audit/views", get(views::show_of_account).post(views::save_of_account))
        .route(
            "/account/audit/views/{id}/delete",
            get(views::find_of_account).post(views::delete_of_account),
        )
        .route("/account/audit/export", get(audit::export))
        .route("/account/{*rest}", get(frame::not_found).post(frame::not_found))
}

/// The pages of the balance, of advances and of withdrawals.
fn balance_pages() -> Router<App> {
    use dashboard::balance::keys::{form_pages as key_form, list_pages as keys};
    use dashboard::balance::{
        advance_form::AdvanceForm, advance_pages as advances, balance_pages as balance,
        explain_pages as explanation, list_pages as withdrawals, receivables_pages as receivables,
        withdraw_form::WithdrawForm, withdrawal_pages as withdrawal,
    };
    use dashboard::review_pages::{confirm, review, show};
    Router::new()
        .route("/dashboard/{mode}/balance", get(balance::show))
        .route("/dashboard/{mode}/balance/explain/{figure}", get(explanation::show))
        .route("/dashboard/{mode}/balance/keys", get(keys::show))
        .route("/dashboard/{mode}/balance/keys/new", get(key_form::new).post(key_form::create))
        .route(
            "/dashboard/{mode}/balance/keys/{id}/delete",
            get(deletion::show::<PayoutKey>).post(deletion::delete::<PayoutKey>),
        )
        .route("/dashboard/{mode}/balance/export", get(balance::export))
        .route("/dashboard/{mode}/balance/receivables", get(receivables::show))
        .route("/dashboard/{mode}/balance/advances", get(advances::list))
        .route(
            "/dashboard/{mode}/balance/advances/new",
            get(show::<AdvanceForm>).post(review::<AdvanceForm>),
        )
        .route("/dashboard/{mode}/balance/advances/new/confirm", post(confirm::<AdvanceForm>))
        .route("/dashboard/{mode}/balance/advances/{id}", get(advances::show))
        .route("/dashboard/{mode}/balance/advances/{id}/cancel", post(advances::cancel))
        .route(
            "/dashboard/{mode}/balance/withdraw",
            get(show::<WithdrawForm>).post(review::<WithdrawForm>),
        )
        .route("/dashboard/{mode}/balance/withdraw/confirm", post(confirm::<WithdrawForm>))
        .route("/dashboard/{mode}/balance/withdrawals", get(withdrawals::show))
        .route("/dashboard/{mode}/balance/withdrawals/export", get(withdrawals::export))
        .route("/dashboard/{mode}/balance/withdrawals/{id}", get(withdrawal::show))
        .route("/dashboard/{mode}/balance/withdrawals/{id}/cancel", post(withdrawal::cancel))
}

/// The pages of developers.
fn developers_pages() -> Router<App> {
    use dashboard::developers::keys::{
        form_pages as key_form, list_pages as keys, revoke_pages as key_end,
        rotate_pages as key_rotation,
    };
    use dashboard::developers::requests::{list_pages as requests, show_pages as request};
    use dashboard::developers::webhooks::form::WebhookForm as Webhook;
    use dashboard::developers::webhooks::{
        act_pages as act, diagnosis_pages as diagnosis, form_pages as webhook_form,
        list_pages as webhooks, rotate_pages as webhook_rotation, show_pages as webhook,
    };
    Router::new()
        .merge(developers_tools_pages())
        .route("/dashboard/{mode}/developers/keys", get(keys::show))
        .route("/dashboard/{mode}/developers/keys/new", get(key_form::new).post(key_form::create))
        .route(
            "/dashboard/{mode}/developers/keys/{id}/rotate",
            get(key_rotation::show).post(key_rotation::rotate),
        )
        .route(
            "/dashboard/{mode}/developers/keys/{id}/revoke",
            get(key_end::show).post(key_end::revoke),
        )
        .route("/dashboard/{mode}/developers/webhooks", get(webhooks::show))
        .route(
            "/dashboard/{mode}/developers/webhooks/new",
            get(webhook_form::new).post(webhook_form::create),
        )
        .route("/dashboard/{mode}/developers/webhooks/{id}", get(webhook::show))
        .route(
            "/dashboard/{mode}/developers/webhooks/{id}/edit",
            get(edit::<Webhook>).post(save::<Webhook>),
        )
        .route(
            "/dashboard/{mode}/developers/webhooks/{id}/rotate",
            get(webhook_rotation::show).post(webhook_rotation::rotate),
        )
        .route(
            "/dashboard/{mode}/developers/webhooks/{id}/delete",
            get(deletion::show::<WebhookEndpoint>).post(deletion::delete::<WebhookEndpoint>),
        )
        .route("/dashboard/{mode}/developers/webhooks/{id}/pause", post(act::pause))
        .route("/dashboard/{mode}/developers/webhooks/{id}/diagnose", post(diagnosis::diagnose))
        .route("/dashboard/{mode}/developers/webhooks/{id}/test", post(act::test))
        .route("/dashboard/{mode}/developers/webhooks/{id}/recover", post(act::recover))
        .route("/dashboard/{mode}/developers/webhooks/{id}/enable", post(act::enable))
        .route("/dashboard/{mode}/developers/webhooks/{id}/resend", post(act::resend))
        .route("/dashboard/{mode}/developers/requests", get(requests::show))
        .route("/dashboard/{mode}/developers/requests/{id}", get(request::show))
}

/// The first page of developers, events, keys of retries, the test clock and mails.
fn developers_tools_pages() -> Router<App> {
    use dashboard::developers::clock::{clock_pages as clock, reset_pages as reset};
    use dashboard::developers::events::{event_pages as event, list_pages as events};
    use dashboard::developers::mail::{list_pages as mails, mail_pages as mail};
    use dashboard::developers::{idempotency_pages as idempotency, overview_pages as overview};
    Router::new()
        .route("/dashboard/{mode}/developers", get(overview::show))
        .route("/dashboard/{mode}/developers/events", get(events::show))
        .route("/dashboard/{mode}/developers/events/{id}", get(event::show))
        .route("/dashboard/{mode}/developers/events/{id}/resend", post(event::resend))
        .route("/dashboard/{mode}/developers/idempotency", get(idempotency::show))
        .route("/dashboard/{mode}/developers/clock", get(clock::show))
        .route("/dashboard/{mode}/developers/clock/advance", post(clock::advance))
        .route("/dashboard/{mode}/developers/clock/reset", get(reset::show).post(reset::reset))
        .route("/dashboard/{mode}/developers/mail", get(mails::show))
        .route("/dashboard/{mode}/developers/mail/{id}", get(mail::show))
}

/// The pages of clients.
fn client_pages() -> Router<App> {
    use dashboard::clients::edit_form::EditForm as Client;
    use dashboard::clients::{client_pages as client, erase_pages as erase, list_pages as list};
    Router::new()
        .route("/dashboard/{mode}/clients", get(list::show))
        .route("/dashboard/{mode}/clients/export", get(list::export))
        .route("/dashboard/{mode}/clients/{id}", get(client::show))
        .route("/dashboard/{mode}/clients/{id}/document", post(client::show_document))
        .route("/dashboard/{mode}/clients/{id}/edit", get(edit::<Client>).post(save::<Client>))
        .route("/dashboard/{mode}/clients/{id}/erase", get(erase::show).post(erase::review))
        .route("/dashboard/{mode}/clients/{id}/erase/confirm", post(erase::confirm))
}

/// The pages of coupons.
fn coupon_pages() -> Router<App> {
    use dashboard::coupons::form::CouponForm;
    use dashboard::coupons::{coupon_pages as coupon, list_pages as list};
    Router::new()
        .route("/dashboard/{mode}/coupons", get(list::show))
        .route("/dashboard/{mode}/coupons/export", get(list::export))
        .route("/dashboard/{mode}/coupons/new", get(new::<CouponForm>).post(create::<CouponForm>))
        .route("/dashboard/{mode}/coupons/{id}", get(coupon::show))
        .route(
            "/dashboard/{mode}/coupons/{id}/edit",
            get(edit::<CouponForm>).post(save::<CouponForm>),
        )
        .route("/dashboard/{mode}/coupons/{id}/switch", post(coupon::switch))
        .route(
            "/dashboard/{mode}/coupons/{id}/delete",
            get(deletion::show::<coupons::Coupon>).post(deletion::delete::<coupons::Coupon>),
        )
}

/// The pages of subscriptions, of plans and of the recurring revenue.
fn recurring_pages() -> Router<App> {
    use dashboard::subscriptions::plans::form::PlanForm as Plan;
    use dashboard::subscriptions::plans::{list_pages as plans, plan_pages as plan};
    use dashboard::subscriptions::{
        act_pages as act, changes_pages as changes, link_pages as link, list_pages as list,
        metrics_pages as metrics, subscription_pages as subscription,
    };
    Router::new()
        .route("/dashboard/{mode}/subscriptions", get(list::show))
        .route("/dashboard/{mode}/subscriptions/export", get(list::export))
        .route("/dashboard/{mode}/subscriptions/metrics", get(metrics::show))
        .route("/dashboard/{mode}/subscriptions/metrics/changes", get(changes::show))
        .route("/dashboard/{mode}/subscriptions/plans", get(plans::show))
        .route("/dashboard/{mode}/subscriptions/plans/new", get(new::<Plan>).post(create::<Plan>))
        .route("/dashboard/{mode}/subscriptions/plans/export", get(plans::export))
        .route("/dashboard/{mode}/subscriptions/plans/{id}", get(plan::show))
        .route(
            "/dashboard/{mode}/subscriptions/plans/{id}/edit",
            get(edit::<Plan>).post(save::<Plan>),
        )
        .route("/dashboard/{mode}/subscriptions/plans/{id}/switch", post(plan::switch))
        .route("/dashboard/{mode}/subscriptions/{id}", get(subscription::show))
        .route("/dashboard/{mode}/subscriptions/{id}/link", get(link::show))
        .route("/dashboard/{mode}/subscriptions/{id}/simulate", post(subscription::simulate))
        .route("/dashboard/{mode}/subscriptions/{id}/{act}", get(act::show))
        .route("/dashboard/{mode}/subscriptions/{id}/{act}/review", post(act::review))
        .route("/dashboard/{mode}/subscriptions/{id}/{act}/confirm", post(act::confirm))
}

/// The pages of products.
fn product_pages() -> Router<App> {
    use dashboard::products::form::ProductForm;
    use dashboard::products::{list_pages as list, product_pages as product};
    Router::new()
        .route("/dashboard/{mode}/products", get(list::show))
        .route("/dashboard/{mode}/products/export", get(list::export))
        .route(
            "/dashboard/{mode}/products/new",
            get(new::<ProductForm>).post(create::<ProductForm>),
        )
        .route("/dashboard/{mode}/products/{id}", get(product::show))
        .route(
            "/dashboard/{mode}/products/{id}/edit",
            get(edit::<ProductForm>).post(save::<ProductForm>),
        )
        .route("/dashboard/{mode}/products/{id}/switch", post(product::switch))
        .route(
            "/dashboard/{mode}/products/{id}/delete",
            get(deletion::show::<products::Product>).post(deletion::delete::<products::Product>),
        )
}
