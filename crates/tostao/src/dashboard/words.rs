//! Roles, states and methods in words.

use crate::carts::Status as CartStatus;
use crate::dashboard::parts::{State, Tone};
use crate::payment_links::status::Status as LinkStatus;
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::subscriptions::status::Status as SubscriptionStatus;
use crate::transactions::refunds::Status as RefundStatus;
use crate::transactions::status::Status;
use crate::transactions::view::StepKind;
use crate::transactions::{Method, Transaction};

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
