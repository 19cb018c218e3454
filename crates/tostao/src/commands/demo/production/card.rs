//! A card in three parts, once its rail can be routed.

use brazil::money::format_brl;
use serde_json::json;

use crate::commands::demo::production::operator::Operator;
use crate::commands::demo::production::sales::{Sale, Shop};
use crate::commands::demo::production::{Missing, Stage};
use crate::commands::demo::story::text;

const CENTS: i64 = 30_000;
const PARTS: i64 = 3;
const CONNECTION: &str = "pagarme-demo";

/// Sells by a card, in three parts.
pub async fn sell(
    stage: &mut Stage<'_>,
    operator: &Operator,
    shop: &Shop,
) -> anyhow::Result<Result<Sale, Missing>> {
    stage.console.step(stage.console.lang.demo_charges_card())?;
    let values = json!({
        "secret_key": "sk_demo",
        "public_key": "pk_demo",
        "address": stage.bank.given("tls")?,
        "notice_keys_address": stage.bank.given("tls")?,
        "authority": stage.bank.given("authority")?,
    });
    let (connection, door) = operator.add(stage, CONNECTION, "pagarme", values).await?;
    let route = ("card", stage.console.lang.cli_card());
    if let Err(missing) = operator.try_route(stage, route, &connection).await? {
        return Ok(Err(missing));
    }
    // Notices are set up in the acquirer's dashboard.
    stage.bank.at("/__settings", &json!({ "pagarme_webhook": door })).await?;
    // The buyer's browser gives the card to the acquirer alone.
    let typed = json!({
        "type": "card",
        "card": {
            "number": "4000000000000010", "holder_name": "FULANO DE TAL",
            "exp_month": 12, "exp_year": 2040, "cvv": "123",
        },
    });
    let token = stage.bank.at("/core/v5/tokens?appId=pk_demo", &typed).await?;
    let how = json!({
        "method": "CREDIT_CARD", "installments": PARTS, "cardToken": text(&token, "/id")?,
    });
    let made = shop.charge(stage, CENTS, &how).await?;
    let id = text(&made, "/id")?;
    shop.until(stage, &id, "PAID").await?;
    let lang = stage.console.lang;
    stage.console.fact(lang.demo_status(), &lang.demo_in_parts(format_brl(CENTS), PARTS))?;
    Ok(Ok(Sale { id, cents: CENTS }))
}
