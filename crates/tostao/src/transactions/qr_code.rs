//! The QR code of a PIX payment, drawn into a response when it is sent.
//!
//! A view holds `null` in its place, and so does every stored response: a picture is larger than
//! the rest of the response, takes longer to draw than a unit may, and is the same every time.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::idempotency::Replayable;
use crate::platform::error::Result;
use crate::platform::http::reply::StorableReply;
use crate::transactions::drawn_codes::png_base64;

const NOT_DRAWN: &str = r#""qrCodeBase64":null"#;

/// How the QR code of a PIX payment is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "QrCodeFormat")]
enum Format {
    Png,
    None,
}

/// Whether the response contains the QR code.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QrCodeQuery {
    /// With `none`, `qrCodeBase64` is null, for callers that draw the `brCode` themselves. Defaults
    /// to `png`.
    qr_code: Option<Format>,
}

/// The place of a QR code in a view.
#[derive(Debug, Clone, Serialize)]
pub struct QrCodePlaceholder;

/// The part of a response that a QR code is drawn from.
#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    data: Option<Box<Body<'a>>>,
    #[serde(borrow)]
    transaction: Option<Payment<'a>>,
}

#[derive(Deserialize)]
struct Payment<'a> {
    #[serde(borrow)]
    pix: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pix<'a> {
    #[serde(borrow)]
    br_code: Cow<'a, str>,
}

impl QrCodeQuery {
    /// Draws the QR code where the response about a payment has a place for it.
    pub fn draw<A: StorableReply>(self, answer: Replayable<A>) -> Result<Replayable<A>> {
        match self.qr_code.unwrap_or(Format::Png) {
            Format::Png => answer.changed(draw_into),
            Format::None => Ok(answer),
        }
    }
}

/// The first object that equals the payment's own is that one: merchants' metadata comes after it,
/// and holds no objects.
fn draw_into(body: String) -> Result<String> {
    let read: Body<'_> = serde_json::from_str(&body)?;
    let payment = read.transaction.or_else(|| read.data?.transaction);
    let pix = payment.and_then(|payment| payment.pix).map(RawValue::get);
    let Some(pix) = pix.filter(|pix| pix.contains(NOT_DRAWN)) else { return Ok(body) };
    let code: Pix<'_> = serde_json::from_str(pix)?;
    // No provider's code is as long; if one ever is, its payment can still be copied and paid.
    let Ok(png) = png_base64(&code.br_code) else { return Ok(body) };
    let drawn = pix.replacen(NOT_DRAWN, &format!(r#""qrCodeBase64":"{png}""#), 1);
    Ok(body.replacen(pix, &drawn, 1))
}
