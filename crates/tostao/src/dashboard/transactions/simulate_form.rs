//! What can be simulated about a test payment: a form that becomes the body that programs send.

use serde::{Deserialize, Serialize};

use crate::dashboard::form::{Field, WrongField, cents};
use crate::dashboard::parts::{Action, NamedChoice, NamedSelect};
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::messages::Lang;
use crate::transactions::Transaction;
use crate::transactions::api::SimulateTransactionRequest;
use crate::transactions::simulate::{SimulatedOutcome, possible};
use crate::transactions::status::Status;

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 2] = ["outcome", "paidAmountCents"];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SimulateForm {
    pub outcome: String,
    /// As people type an amount; the payment's amount if it is empty.
    pub paid_amount_cents: String,
    pub attempt: String,
}

/// The form as it is shown.
pub struct Simulate {
    /// Where it is posted, or why nothing can be simulated.
    pub action: Action,
    pub outcomes: NamedSelect,
    pub amount: Field,
}

impl SimulateForm {
    /// The body of the request.
    pub fn body(&self) -> Result<SimulateTransactionRequest> {
        card_data::refuse_typed([
            ("outcome", &*self.outcome),
            ("paidAmountCents", &*self.paid_amount_cents),
        ])?;
        let named = SimulatedOutcome::ALL.into_iter().find(|one| name(*one) == self.outcome);
        let unknown = || Error::field("outcome", "INVALID_VALUE", "must be an outcome");
        Ok(SimulateTransactionRequest {
            outcome: named.ok_or_else(unknown)?,
            paid_amount_cents: cents(&self.paid_amount_cents)
                .map_err(|fault| fault.of("paidAmountCents"))?,
            times: None,
            delay_seconds: None,
        })
    }

    /// What must be the same when the form is posted again.
    pub fn values(&self) -> String {
        [&*self.outcome, &*self.paid_amount_cents].join("\n")
    }

    /// The form about a payment, with what is wrong with it.
    pub fn shown(
        &self,
        payment: &Transaction,
        action: Action,
        wrong: &[FieldError],
        lang: Lang,
    ) -> Simulate {
        let possible = possible(payment);
        let choice = |outcome: &SimulatedOutcome| NamedChoice {
            value: name(*outcome).to_owned(),
            name: words(*outcome, payment, lang).to_owned(),
            is_chosen: name(*outcome) == self.outcome,
        };
        let error = Field::judged("outcome", "", wrong, lang).error;
        let action = match action {
            Action::Possible(_) if possible.is_empty() => Action::Refused(lang.simulate_nothing()),
            action => action,
        };
        Simulate {
            action,
            outcomes: NamedSelect { choices: possible.iter().map(choice).collect(), error },
            amount: Field::judged("paidAmountCents", &self.paid_amount_cents, wrong, lang),
        }
    }
}

impl Simulate {
    /// What is wrong, for the summary above the page.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let outcome = Field { value: String::new(), error: self.outcomes.error.clone() };
        let fields = [
            outcome.wrong("outcome", lang.simulate_outcome()),
            self.amount.wrong("paidAmountCents", lang.simulate_amount()),
        ];
        fields.into_iter().flatten().collect()
    }
}

/// The name of an outcome in the API.
fn name(outcome: SimulatedOutcome) -> &'static str {
    match outcome {
        SimulatedOutcome::Paid => "PAID",
        SimulatedOutcome::Failed => "FAILED",
        SimulatedOutcome::Expired => "EXPIRED",
        SimulatedOutcome::Disputed => "DISPUTED",
        SimulatedOutcome::ChargedBack => "CHARGED_BACK",
        SimulatedOutcome::RefundFailed => "REFUND_FAILED",
    }
}

/// What an outcome means for a payment in its present state.
fn words(outcome: SimulatedOutcome, payment: &Transaction, lang: Lang) -> &'static str {
    match outcome {
        SimulatedOutcome::Paid => match payment.status {
            Status::Disputed => lang.simulate_dispute_won(),
            Status::Pending | Status::Processing => lang.simulate_paid(),
            Status::Expired | Status::Cancelled => lang.simulate_paid_late(),
            Status::Paid | Status::Failed | Status::Refunded | Status::ChargedBack => {
                lang.simulate_paid_again()
            }
        },
        SimulatedOutcome::Failed => lang.simulate_declined(),
        SimulatedOutcome::Expired => lang.simulate_expired(),
        SimulatedOutcome::Disputed => lang.simulate_disputed(),
        SimulatedOutcome::ChargedBack => lang.simulate_dispute_lost(),
        SimulatedOutcome::RefundFailed => lang.simulate_refund_fails(),
    }
}
