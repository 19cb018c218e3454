//! Roles, states, methods and spans of time in words.

use std::fmt::Display;
use std::time::Duration;

use crate::carts::Status as CartStatus;
use crate::dashboard::parts::{State, Tone};
use crate::first_steps::Step;
use crate::payment_links::status::Status as LinkStatus;
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::subscriptions::status::Status as SubscriptionStatus;
use crate::transactions::refunds::Status as RefundStatus;
use crate::transactions::status::Status;
use crate::transactions::view::StepKind;
use crate::transactions::{Method, Transaction};

/// A number with decimals, as people write it.
pub fn decimal(number: impl Display, lang: Lang) -> String {
    let shown = number.to_string();
    if lang == Lang::PtBr { shown.replace('.', ",") } else { shown }
}

/// A role.
pub fn role(role: MemberRole, lang: Lang) -> &'static str {
    match role {
        MemberRole::Owner => lang.role_owner(),
        MemberRole::Manager => lang.role_manager(),
        MemberRole::Finance => lang.role_finance(),
        MemberRole::Support => lang.role_support(),
        MemberRole::Developer => lang.role_developer(),
        MemberRole::Viewer => lang.role_viewer(),
    }
}

/// The state of a payment.
pub fn payment(status: Status, lang: Lang) -> State {
    let (tone, word) = match status {
        Status::Pending => (Tone::Wait, lang.payment_pending()),
        Status::Processing => (Tone::Wait, lang.payment_processing()),
        Status::Paid => (Tone::Good, lang.payment_paid()),
        Status::Failed => (Tone::Bad, lang.payment_failed()),
        Status::Expired => (Tone::Off, lang.payment_expired()),
        Status::Cancelled => (Tone::Off, lang.payment_cancelled()),
        Status::Refunded => (Tone::Off, lang.payment_refunded()),
        Status::Disputed => (Tone::Wait, lang.payment_disputed()),
        Status::ChargedBack => (Tone::Bad, lang.payment_charged_back()),
    };
    State { tone, word }
}

/// The state of a payment link.
pub fn link(status: LinkStatus, lang: Lang) -> State {
    let (tone, word) = match status {
        LinkStatus::Active => (Tone::Good, lang.links_on()),
        LinkStatus::Inactive => (Tone::Off, lang.links_off()),
        LinkStatus::Expired => (Tone::Off, lang.links_over()),
    };
    State { tone, word }
}

/// The state of a cart.
pub fn cart(status: CartStatus, lang: Lang) -> State {
    let (tone, word) = match status {
        CartStatus::Abandoned => (Tone::Wait, lang.cart_abandoned()),
        CartStatus::Recovered => (Tone::Good, lang.cart_recovered()),
    };
    State { tone, word }
}

/// The state of a refund.
pub fn refund(status: RefundStatus, lang: Lang) -> State {
    let (tone, word) = match status {
        RefundStatus::Pending => (Tone::Wait, lang.refund_pending()),
        RefundStatus::Completed => (Tone::Good, lang.refund_completed()),
        RefundStatus::Failed => (Tone::Bad, lang.refund_failed()),
    };
    State { tone, word }
}

/// The state of a subscription.
pub fn subscription(status: SubscriptionStatus, lang: Lang) -> State {
    let (tone, word) = match status {
        SubscriptionStatus::Incomplete => (Tone::Wait, lang.subscription_incomplete()),
        SubscriptionStatus::Trialing => (Tone::Wait, lang.subscription_trialing()),
        SubscriptionStatus::Active => (Tone::Good, lang.subscription_active()),
        SubscriptionStatus::PastDue => (Tone::Bad, lang.subscription_past_due()),
        SubscriptionStatus::Paused => (Tone::Off, lang.subscription_paused()),
        SubscriptionStatus::Cancelled => (Tone::Off, lang.subscription_cancelled()),
        SubscriptionStatus::Expired => (Tone::Off, lang.subscription_expired()),
    };
    State { tone, word }
}

/// A step of a payment's timeline.
pub fn step(kind: StepKind, lang: Lang) -> &'static str {
    match kind {
        StepKind::Created => lang.step_created(),
        StepKind::Paid => lang.step_paid(),
        StepKind::Oversold => lang.step_oversold(),
        StepKind::Failed => lang.step_failed(),
        StepKind::Expired => lang.step_expired(),
        StepKind::Cancelled => lang.step_cancelled(),
        StepKind::SetAside => lang.step_set_aside(),
        StepKind::Released => lang.step_released(),
        StepKind::ReturnRequested => lang.step_return_requested(),
        StepKind::Returned => lang.step_returned(),
        StepKind::RefundRequested => lang.step_refund_requested(),
        StepKind::Refunded => lang.step_refunded(),
        StepKind::RefundFailed => lang.step_refund_failed(),
        StepKind::Disputed => lang.step_disputed(),
        StepKind::DisputeWon => lang.step_dispute_won(),
        StepKind::ChargedBack => lang.step_charged_back(),
    }
}

/// A first step of an account.
pub fn first_step(step: Step, lang: Lang) -> &'static str {
    match step {
        Step::Key => lang.first_step_key(),
        Step::Link => lang.first_step_link(),
        Step::Payment => lang.first_step_payment(),
        Step::Webhook => lang.first_step_webhook(),
    }
}

/// A span of time in its two greatest units, whose symbols are the same in both languages.
pub fn span(time: Duration) -> String {
    let minutes = time.as_secs() / 60;
    let (days, hours) = (minutes / 1_440, minutes / 60 % 24);
    match (days, hours, minutes % 60) {
        (0, 0, 0) => format!("{} s", time.as_secs()),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

/// How a payment is paid.
pub fn method(transaction: &Transaction, lang: Lang) -> String {
    match transaction.method {
        Method::Pix => lang.by_pix().to_owned(),
        Method::Boleto => lang.by_boleto().to_owned(),
        Method::CreditCard if transaction.installments > 1 => {
            lang.by_card_in(transaction.installments)
        }
        Method::CreditCard => lang.by_card().to_owned(),
        Method::Free => lang.by_coupon().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::span;

    #[test]
    fn a_span_of_time_has_its_two_greatest_units() {
        let table = [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (3_599, "59 min"),
            (7_500, "2 h 5 min"),
            (86_399, "23 h 59 min"),
            (187_200, "2 d 4 h"),
        ];
        for (seconds, shown) in table {
            assert_eq!(span(Duration::from_secs(seconds)), shown);
        }
    }
}
