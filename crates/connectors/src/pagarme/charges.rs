//! Charges: what became of them, and what an order or a notice says through them.
//!
//! The charge's status decides. That of its last transaction is about the last thing that was
//! tried, which may be a refund; it explains a decline, and shows a refund under way.

use db::time::Timestamp;
use ledger::cents::Cents;
use rails::card::{ChargeResult, DeclineCode};
use rails::connection::{ChargebackState, Event, Notice, Page, Subject};
use rails::entries::is_name;
use rails::error::ProviderError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use upstream::call::Call;
use upstream::failure::Failure;

use crate::failures::provider_error;
use crate::pagarme::payables::{self, Contested};
use crate::pagarme::session::Session;

pub const CHARGES: &str = "/core/v5/charges";

/// The status of a charge that its buyer contests.
const CONTESTED: &str = "chargedback";

/// A charge as Pagar.me answers it.
#[derive(Debug, Deserialize)]
pub struct Charge {
    pub id: String,
    code: Option<String>,
    pub amount: i64,
    paid_amount: Option<i64>,
    canceled_amount: Option<i64>,
    status: String,
    updated_at: Timestamp,
    pub last_transaction: Option<Transaction>,
    /// Only where the charge stands alone.
    order: Option<OrderOfCharge>,
}

#[derive(Debug, Deserialize)]
struct OrderOfCharge {
    code: String,
}

/// The last thing that was tried with a charge.
#[derive(Debug, Deserialize)]
pub struct Transaction {
    pub id: Option<String>,
    pub status: Option<String>,
    acquirer_return_code: Option<String>,
    acquirer_auth_code: Option<String>,
}

impl Charge {
    /// What became of the charge. `None` for what Pagar.me does not document, which may not be
    /// booked.
    pub fn verdict(&self) -> Option<ChargeResult> {
        match self.status.as_str() {
            "pending" | "processing" => Some(ChargeResult::Processing),
            "paid" | "underpaid" | "overpaid" if self.is_paid_otherwise() => {
                Some(ChargeResult::CapturedOtherwise { amount: Cents::new(self.paid()) })
            }
            "paid" | CONTESTED => self.is_paid_in_full().then(|| self.approved()),
            // Captured with another amount, all of which went back.
            "canceled" if self.is_paid_otherwise() => self.is_given_back().then(|| self.declined()),
            "canceled" if self.paid() > 0 => self.is_paid_in_full().then(|| self.approved()),
            // Voided before any money moved.
            "canceled" => Some(self.declined()),
            "failed" => (self.paid() == 0 && !self.is_captured()).then(|| self.declined()),
            _ => None,
        }
    }

    /// What was refunded so far.
    pub fn refunded(&self) -> Cents {
        Cents::new(self.canceled_amount.unwrap_or_default())
    }

    /// Whether a refund is under way that does not count yet.
    pub fn is_being_refunded(&self) -> bool {
        self.last_status() == Some("pending_refund")
    }

    /// Whether an amount of it can be refunded, as far as the charge itself decides.
    pub fn can_refund(&self, amount: Cents) -> bool {
        let left = Cents::new(self.paid()).minus(self.refunded());
        self.status == "paid" && left.is_some_and(|left| amount <= left)
    }

    /// The identifier of what happened last, such as a refund.
    pub fn last_id(&self) -> &str {
        let id = self.last_transaction.as_ref().and_then(|last| last.id.as_deref());
        id.filter(|id| is_name(id)).unwrap_or(&self.id)
    }

    /// Our reference, where the charge stands alone.
    fn reference(&self) -> Option<&str> {
        self.order.as_ref().map(|order| &*order.code).or(self.code.as_deref())
    }

    fn paid(&self) -> i64 {
        self.paid_amount.unwrap_or_default()
    }

    fn is_paid_in_full(&self) -> bool {
        self.paid() == self.amount
    }

    fn is_paid_otherwise(&self) -> bool {
        self.paid() > 0 && !self.is_paid_in_full()
    }

    fn is_given_back(&self) -> bool {
        self.refunded() == Cents::new(self.paid())
    }

    fn is_captured(&self) -> bool {
        matches!(self.last_status(), Some("captured" | "partial_capture"))
    }

    fn last_status(&self) -> Option<&str> {
        self.last_transaction.as_ref()?.status.as_deref()
    }

    fn approved(&self) -> ChargeResult {
        let last = self.last_transaction.as_ref();
        let code = last.and_then(|last| last.acquirer_auth_code.as_deref());
        // Acquirers leave it out at times; the charge is approved all the same.
        let authorization_code = code.filter(|code| is_name(code)).unwrap_or(&self.id).to_owned();
        ChargeResult::Approved { authorization_code }
    }

    fn declined(&self) -> ChargeResult {
        let last = self.last_transaction.as_ref();
        let code = last.and_then(|last| last.acquirer_return_code.as_deref());
        let code = code.filter(|code| is_name(code)).unwrap_or("none");
        tracing::warn!(charge = self.id, code, "the acquirer declined a charge");
        ChargeResult::Declined { code: decline_code(code) }
    }
}

/// What is known of a charge by Pagar.me's id; nothing if it is unknown.
pub async fn look_into(session: &Session, notice: &Notice) -> Result<Page, ProviderError> {
    let mut page = Page::default();
    let entry: Box<RawValue> = match by_id(session, &notice.id).await {
        Ok(entry) => entry,
        Err(Failure::NotFound { .. }) => return Ok(page),
        Err(failure) => return Err(provider_error(failure)),
    };
    let Some(charge) = add(&entry, None, &mut page) else { return Ok(page) };
    if charge.status == CONTESTED {
        page.events.extend(chargeback(session, &charge).await?);
    } else if notice.subject == Subject::ContestedCharge {
        page.events.extend(won(session, &charge).await?);
    }
    Ok(page)
}

/// Asks for a charge by Pagar.me's id.
pub async fn by_id<T: DeserializeOwned>(session: &Session, id: &str) -> Result<T, Failure> {
    session.ask(Call::get("find_charge", CHARGES).segment(id)).await
}

/// Adds what a listed charge says, by the code of its order. What is contested of it is asked about
/// by itself: a page may have many such charges.
pub fn read(entry: &RawValue, order: &str, page: &mut Page) {
    if let Some(charge) = add(entry, Some(order), page)
        && charge.status == CONTESTED
    {
        page.questions.push(Notice { subject: Subject::ContestedCharge, id: charge.id });
    }
}

/// Adds what a charge says, and returns it if it can be read; its reference is its order's code,
/// which a charge alone names itself.
fn add(entry: &RawValue, order: Option<&str>, page: &mut Page) -> Option<Charge> {
    let charge = serde_json::from_str::<Charge>(entry.get()).ok();
    if let Some(events) = charge.as_ref().and_then(|charge| events(charge, order)) {
        page.events.extend(events);
        return charge;
    }
    let charge = charge.map(|charge| charge.id).filter(|id| is_name(id));
    tracing::error!(charge, "a charge is not as it was ordered, or cannot be read");
    page.unreadable.push(entry.get().to_owned());
    None
}

fn events(charge: &Charge, order: Option<&str>) -> Option<Vec<Event>> {
    let reference = order.or(charge.reference()).filter(|code| is_name(code))?.to_owned();
    let result = charge.verdict().filter(|_| is_name(&charge.id))?;
    let is_approved =
        matches!(result, ChargeResult::Approved { .. } | ChargeResult::CapturedOtherwise { .. });
    let (charge_id, at, refunded) = (charge.id.clone(), charge.updated_at, charge.refunded());
    let charge_reference = reference.clone();
    let amount = Cents::new(if is_approved { charge.paid() } else { charge.amount });
    let mut events = vec![Event::CardCharge { reference, charge_id, amount, result }];
    if is_approved && refunded > Cents::ZERO {
        events.push(Event::CardRefund { charge_reference, amount: refunded, at });
    }
    Some(events)
}

/// The chargeback of a contested charge; none if all that was taken for it was given again.
///
/// The charge does not say how much of it is contested; what the acquirer took for it does. Until
/// that is listed, it is all that was not refunded.
async fn chargeback(session: &Session, charge: &Charge) -> Result<Option<Event>, ProviderError> {
    let Contested { taken, given_again, .. } = payables::contested(session, &charge.id).await?;
    let amount = match taken {
        Cents::ZERO => Cents::new(charge.paid()).minus(charge.refunded()),
        taken => taken.minus(given_again),
    };
    let amount = amount.filter(|amount| *amount > Cents::ZERO);
    Ok(amount.and_then(|amount| event(charge, amount, ChargebackState::Open, charge.updated_at)))
}

/// A chargeback that was decided for the merchant: the charge is paid again.
async fn won(session: &Session, charge: &Charge) -> Result<Option<Event>, ProviderError> {
    let Contested { given_again, given_at, .. } = payables::contested(session, &charge.id).await?;
    Ok(given_at.and_then(|at| event(charge, given_again, ChargebackState::Won, at)))
}

/// A chargeback has no id of its own, so that of the charge stands for it.
fn event(charge: &Charge, amount: Cents, state: ChargebackState, at: Timestamp) -> Option<Event> {
    let reference = charge.reference().filter(|code| is_name(code))?;
    let (charge_reference, dispute_id) = (reference.to_owned(), charge.id.clone());
    Some(Event::Chargeback { charge_reference, dispute_id, amount, at, state })
}

/// Our word for an issuer's return code (ABECS); all others are the plain decline.
fn decline_code(code: &str) -> DeclineCode {
    match code {
        "51" => DeclineCode::InsufficientFunds,
        "05" | "57" | "62" => DeclineCode::DoNotHonor,
        "61" | "65" => DeclineCode::VelocityExceeded,
        "54" => DeclineCode::ExpiredCard,
        "41" => DeclineCode::LostCard,
        "43" => DeclineCode::StolenCard,
        "N7" | "82" | "83" => DeclineCode::IncorrectCvc,
        _ => DeclineCode::CardDeclined,
    }
}

#[cfg(test)]
mod tests {
    use ledger::cents::Cents;
    use rails::card::{ChargeResult, DeclineCode};

    use super::Charge;
    use crate::status_tables;

    fn verdict(status: &str, paid: i64, last: &str) -> Option<ChargeResult> {
        let text = format!(
            r#"{{"id":"ch_1","amount":100,"paid_amount":{paid},"status":"{status}",
                "updated_at":"2026-11-23T15:00:00Z",
                "last_transaction":{{"status":"{last}","acquirer_auth_code":"123456"}}}}"#
        );
        serde_json::from_str::<Charge>(&text).expect("is a charge").verdict()
    }

    #[test]
    fn another_amount_that_went_back_whole_is_a_decline_and_a_part_of_it_is_not() {
        let charge = |canceled: i64| {
            let text = format!(
                r#"{{"id":"ch_1","amount":100,"paid_amount":99,"canceled_amount":{canceled},
                    "status":"canceled","updated_at":"2026-11-23T15:00:00Z"}}"#
            );
            serde_json::from_str::<Charge>(&text).expect("is a charge").verdict()
        };
        let declined = ChargeResult::Declined { code: DeclineCode::CardDeclined };
        assert_eq!((charge(99), charge(98)), (Some(declined), None));
    }

    #[test]
    fn the_charges_status_decides_and_what_does_not_fit_it_is_not_decided() {
        let approved = || {
            let authorization_code = "123456".to_owned();
            Some(ChargeResult::Approved { authorization_code })
        };
        let declined = || Some(ChargeResult::Declined { code: DeclineCode::CardDeclined });
        let otherwise = |cents| Some(ChargeResult::CapturedOtherwise { amount: Cents::new(cents) });
        let table = [
            ("pending", 0, "authorized_pending_capture", Some(ChargeResult::Processing)),
            ("pending", 0, "waiting_capture", Some(ChargeResult::Processing)),
            ("pending", 0, "analyzing", Some(ChargeResult::Processing)),
            ("pending", 0, "pending_review", Some(ChargeResult::Processing)),
            ("processing", 0, "with_error", Some(ChargeResult::Processing)),
            ("paid", 100, "captured", approved()),
            ("paid", 100, "pending_refund", approved()),
            ("paid", 100, "partial_refunded", approved()),
            ("paid", 99, "partial_capture", otherwise(99)),
            ("underpaid", 99, "captured", otherwise(99)),
            ("overpaid", 101, "captured", otherwise(101)),
            ("canceled", 100, "refunded", approved()),
            ("canceled", 99, "refunded", None),
            ("canceled", 0, "voided", declined()),
            ("chargedback", 100, "chargedback", approved()),
            ("failed", 0, "not_authorized", declined()),
            ("failed", 0, "with_error", declined()),
            ("failed", 0, "failed", declined()),
            ("failed", 0, "captured", None),
            ("failed", 100, "not_authorized", None),
            ("authorized", 0, "captured", None),
        ];
        for (status, paid, last, expected) in &table {
            assert_eq!(verdict(status, *paid, last), *expected, "{status} {paid} {last}");
        }
        let words = table.iter().map(|(status, paid, last, _)| {
            (format!("`{status}` ({last}, {paid} of 100 paid)"), verdict(status, *paid, last))
        });
        status_tables::check("statuses of Pagar.me's charges", words);
    }
}
