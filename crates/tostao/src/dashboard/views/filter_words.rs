//! What a saved filter leaves of its list, in words.

use jiff::civil::Date;
use url::form_urlencoded::parse;

use crate::affiliates::commissions::Status as CommissionStatus;
use crate::audit::Action;
use crate::books::api::AccountName;
use crate::books::movements::MovementKind;
use crate::coupons::Status as CouponStatus;
use crate::dashboard::account::audit::words::action;
use crate::dashboard::affiliates::words::commission_status;
use crate::dashboard::balance::wording;
use crate::dashboard::coupons::coupon_words;
use crate::dashboard::developers::requests::filter::status_name;
use crate::dashboard::developers::webhooks::wording::delivery_status;
use crate::dashboard::products::product_words;
use crate::dashboard::transactions::list_pages::method_name;
use crate::dashboard::words;
use crate::payment_links::status::Status as LinkStatus;
use crate::people::saved_views::list::ViewedList;
use crate::platform::messages::Lang;
use crate::products::Status as ProductStatus;
use crate::subscriptions::status::Status as SubscriptionStatus;
use crate::transactions::Method;
use crate::transactions::status::Status as PaymentStatus;
use crate::webhooks::deliveries::Status as DeliveryStatus;
use crate::withdrawals::status::Status as WithdrawalStatus;

/// The fields of a filter with their values.
pub fn in_words(list: ViewedList, filter: &str, lang: Lang) -> String {
    let said = parse(filter.as_bytes()).map(|(name, given)| {
        format!("{}: {}", label(list, &name, lang), value(list, &name, &given, lang))
    });
    said.collect::<Vec<_>>().join(" · ")
}

/// What a field is called at its list.
fn label(list: ViewedList, name: &str, lang: Lang) -> &str {
    match (name, list) {
        ("q", _) => lang.payments_search(),
        ("status", ViewedList::Events) => lang.event_delivery(),
        ("status", ViewedList::Requests) => lang.requests_status(),
        ("status" | "active", _) => lang.payments_state(),
        ("method", ViewedList::Requests) => lang.requests_method(),
        ("method", _) => lang.payments_method(),
        ("from", _) => lang.payments_from(),
        ("to", _) => lang.payments_to(),
        ("searchAll", _) => lang.views_all_dates(),
        ("customerId" | "clientId", _) => lang.views_client(),
        ("paymentLinkId" | "linkId", _) => lang.views_link(),
        ("paid", _) => lang.views_paid(),
        ("paying", _) => lang.views_paying(),
        ("planId", _) => lang.views_plan(),
        ("account", _) => lang.balance_account(),
        ("kind", _) => lang.balance_kind(),
        ("transactionId", _) => lang.balance_payment(),
        ("event", _) => lang.event_type(),
        ("objectId", _) => lang.event_object(),
        ("route", _) => lang.requests_route(),
        ("code", _) => lang.requests_code(),
        ("idempotencyKey", _) => "Idempotency-Key",
        ("credentialId", _) => lang.requests_api_key(),
        ("actorId", _) => lang.audit_who(),
        ("action", _) => lang.audit_what(),
        _ => name,
    }
}

/// A value: a text or an id stands as it is.
fn value(list: ViewedList, name: &str, given: &str, lang: Lang) -> String {
    if let ("from" | "to", Ok(day)) = (name, given.parse::<Date>()) {
        return lang.date(day);
    }
    let word = match (name, list) {
        ("status", _) => status(list, given, lang),
        ("method", ViewedList::Transactions) => {
            Method::parse(given).map(|method| method_name(method, lang))
        }
        ("account", _) => AccountName::parse(given).map(|it| wording::account(it, lang)),
        ("kind", _) => MovementKind::parse(given).map(|kind| wording::movement(kind, lang)),
        ("action", _) => Action::parse(given).map(|it| action(it)(lang)),
        ("active", _) => either(given, lang.plan_open(), lang.plan_closed()),
        ("searchAll" | "paid" | "paying", _) => either(given, lang.admin_yes(), lang.admin_no()),
        _ => None,
    };
    word.unwrap_or(given).to_owned()
}

fn either(given: &str, yes: &'static str, no: &'static str) -> Option<&'static str> {
    match given {
        "true" => Some(yes),
        "false" => Some(no),
        _ => None,
    }
}

fn status(list: ViewedList, given: &str, lang: Lang) -> Option<&'static str> {
    match list {
        ViewedList::Transactions => {
            PaymentStatus::parse(given).map(|status| words::payment(status, lang).word)
        }
        ViewedList::PaymentLinks => {
            LinkStatus::parse(given).map(|status| words::link(status, lang).word)
        }
        ViewedList::Products => {
            ProductStatus::parse(given).map(|status| product_words::status(status, lang))
        }
        ViewedList::Coupons => {
            CouponStatus::parse(given).map(|status| coupon_words::status(status, lang))
        }
        ViewedList::Subscriptions => {
            SubscriptionStatus::parse(given).map(|status| words::subscription(status, lang).word)
        }
        ViewedList::Commissions => {
            CommissionStatus::parse(given).map(|status| commission_status(status, lang))
        }
        ViewedList::Withdrawals => {
            WithdrawalStatus::parse(given).map(|status| wording::status(status, lang))
        }
        ViewedList::Events => {
            DeliveryStatus::parse(given).map(|status| delivery_status(status, lang))
        }
        ViewedList::Requests => status_name(given, lang),
        ViewedList::Clients
        | ViewedList::Plans
        | ViewedList::BalanceEntries
        | ViewedList::Audit => None,
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;
    use crate::people::saved_views::list::ViewedList;
    use crate::platform::messages::Lang;

    #[test]
    fn a_filter_is_read_in_the_words_of_its_list() {
        let payments = "q=caf%C3%A9&status=PAID&method=PIX&from=2026-11-01";
        let plans = "active=false";
        let requests = "status=5xx&method=POST&code=NOT_FOUND";
        let table = [
            (
                ViewedList::Transactions,
                payments,
                Lang::PtBr,
                "Buscar: café · Situação: Pago · Forma de pagamento: por PIX · Do dia: 01/11/2026",
            ),
            (
                ViewedList::Transactions,
                payments,
                Lang::En,
                "Search: café · State: Paid · Method: by PIX · From: 1 Nov 2026",
            ),
            (ViewedList::Plans, plans, Lang::PtBr, "Situação: Fechado"),
            (
                ViewedList::Requests,
                requests,
                Lang::En,
                "Status: Server's faults (5xx) · Method: POST · Error code: NOT_FOUND",
            ),
        ];
        for (list, filter, lang, said) in table {
            assert_eq!(in_words(list, filter, lang), said);
        }
    }
}
