//! Roles, states and methods in words.

use crate::dashboard::parts::{State, Tone};
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::transactions::status::Status;
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
