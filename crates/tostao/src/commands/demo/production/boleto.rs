//! A boleto, once its rail can be routed.

use anyhow::Context;
use brazil::money::format_brl;
use serde_json::{Value, json};

use crate::commands::demo::production::operator::Operator;
use crate::commands::demo::production::sales::{Sale, Shop};
use crate::commands::demo::production::{Missing, Stage};
use crate::commands::demo::story::text;

const CENTS: i64 = 7_500;

/// Sells by a boleto that is paid at a bank's counter, by its barcode.
pub async fn sell(
    stage: &mut Stage<'_>,
    operator: &Operator,
    shop: &Shop,
) -> anyhow::Result<Result<Sale, Missing>> {
    stage.console.step(stage.console.lang.demo_boleto_is_paid())?;
    if let Err(missing) = operator.route_to_the_bank(stage, "boleto", "boleto").await? {
        return Ok(Err(missing));
    }
    let made = shop.charge(stage, CENTS, &json!({ "method": "BOLETO" })).await?;
    let id = text(&made, "/id")?;
    let bank = stage.bank.read("/__state").await?;
    let slip = bank["cobrancas"].as_array().and_then(|slips| slips.last());
    let slip = slip.context("the bank has no slip")?["charge_id"].to_string();
    let payment: Value = json!({ "dialect": "cobrancas", "charge": slip });
    stage.bank.at("/__pay", &payment).await?;
    shop.until(stage, &id, "PAID").await?;
    stage.console.fact(stage.console.lang.demo_line(), &text(&made, "/boleto/digitableLine")?)?;
    let paid = format!("{}, PAID", format_brl(CENTS));
    stage.console.fact(stage.console.lang.demo_status(), &paid)?;
    Ok(Ok(Sale { id, cents: CENTS }))
}
