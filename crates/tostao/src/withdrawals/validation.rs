//! A merchant's input about a withdrawal, and its validation.

use brazil::pix_key::{PixKey, PixKeyType};
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::platform::error::{Error, ErrorCode, FieldErrors, FieldFault, Result};
use crate::platform::fields::{self, ApiPixKeyType};

const AMOUNT_MIN: i64 = 100;
const AMOUNT_MAX: i64 = 10_000_000;
const DESCRIPTION_LENGTH_MAX: usize = 255;

/// The parameters of a new withdrawal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("examples" = [{
    "amountCents": 4_990, "pixKey": "fulano@example.com", "pixKeyType": "email",
}]))]
pub struct CreateWithdrawalRequest {
    /// The amount to debit from the balance in cents, including the fee.
    #[schemars(range(min = 100, max = 10_000_000))]
    pub amount_cents: i64,
    /// The PIX key to pay to; validated against `pixKeyType`.
    #[schemars(length(min = 1, max = 77))]
    pub pix_key: String,
    #[schemars(with = "ApiPixKeyType")]
    pub pix_key_type: String,
    /// A description for the merchant and the recipient; banks show the first 140 characters.
    #[schemars(length(max = 255))]
    pub description: Option<String>,
    /// A UUID that identifies this withdrawal permanently.
    #[schemars(extend("format" = "uuid"))]
    pub idempotency_key: Option<String>,
}

/// A validated withdrawal request.
#[derive(Debug, Clone)]
pub struct NewWithdrawal {
    pub amount: Cents,
    pub key: PixKey,
    pub description: Option<String>,
    pub idempotency_key: Option<Uuid>,
}

/// Validates the request; reports every fault at once.
pub fn read(
    body: &CreateWithdrawalRequest,
    header: Option<&str>,
    fee: Cents,
) -> Result<NewWithdrawal> {
    let mut wrong = FieldErrors::new();
    let amount = wrong.read("amountCents", amount(body.amount_cents, fee));
    let key = pix_key(&mut wrong, &body.pix_key_type, &body.pix_key);
    let description = fields::optional_text(body.description.as_deref(), DESCRIPTION_LENGTH_MAX);
    let description = wrong.read("description", description);
    let idempotency_key = body.idempotency_key.as_deref().map(uuid).transpose();
    let idempotency_key = wrong.read("idempotencyKey", idempotency_key);
    let (Some(amount), Some(key), Some(description), Some(idempotency_key)) =
        (amount, key, description, idempotency_key)
    else {
        return Err(wrong.into_error());
    };
    expect_one_key(header, idempotency_key)?;
    Ok(NewWithdrawal { amount, key, description, idempotency_key })
}

/// The smallest amount that can be withdrawn.
pub fn least(fee: Cents) -> Cents {
    Cents::new(AMOUNT_MIN.max(fee.get().saturating_add(1)))
}

/// An amount that may be withdrawn and exceeds the fee.
pub fn amount(cents: i64, fee: Cents) -> Result<Cents, FieldFault> {
    if !(AMOUNT_MIN..=AMOUNT_MAX).contains(&cents) {
        let message = format!("must be from {AMOUNT_MIN} to {AMOUNT_MAX} cents");
        return Err(FieldFault::new("OUT_OF_RANGE", message));
    }
    if cents <= fee.get() {
        let message = format!("must be more than the fee of {} cents", fee.get());
        return Err(FieldFault::new("BELOW_FEE", message));
    }
    Ok(Cents::new(cents))
}

/// A PIX key and its type, as bodies name them.
pub fn pix_key(wrong: &mut FieldErrors, key_type: &str, text: &str) -> Option<PixKey> {
    let key_type = PixKeyType::parse(key_type)
        .map_err(|error| FieldFault::new("INVALID_VALUE", error.to_string()));
    let key_type = wrong.read("pixKeyType", key_type)?;
    let key = PixKey::parse(key_type, text).map_err(|_| {
        let message = format!("must be a valid PIX key of the type {}", key_type.as_str());
        FieldFault::new(ErrorCode::InvalidPixKey.name(), message)
    });
    wrong.read("pixKey", key)
}

fn uuid(text: &str) -> Result<Uuid, FieldFault> {
    Uuid::try_parse(text).map_err(|_| FieldFault::new("INVALID_UUID", "must be a UUID"))
}

/// Two different keys would stand for two requests.
fn expect_one_key(header: Option<&str>, body: Option<Uuid>) -> Result<()> {
    let (Some(header), Some(body)) = (header, body) else { return Ok(()) };
    if Uuid::try_parse(header) == Ok(body) {
        return Ok(());
    }
    let message = "The Idempotency-Key header and idempotencyKey differ. Send one, or the same.";
    Err(Error::refused(ErrorCode::InvalidIdempotencyKey, message))
}

#[cfg(test)]
mod tests {
    use ledger::cents::Cents;

    use super::amount;

    #[test]
    fn an_amount_is_within_its_bounds_and_above_the_fee() {
        let table = [
            (99, 80, Err("OUT_OF_RANGE")),
            (100, 80, Ok(())),
            (100, 100, Err("BELOW_FEE")),
            (101, 100, Ok(())),
            (10_000_000, 80, Ok(())),
            (10_000_001, 80, Err("OUT_OF_RANGE")),
            (-100, 80, Err("OUT_OF_RANGE")),
        ];
        for (cents, fee, expected) in table {
            let found = amount(cents, Cents::new(fee)).map(|_| ()).map_err(|fault| fault.code);
            assert_eq!(found, expected, "{cents} with a fee of {fee}");
        }
    }
}
