//! What buyers of a link would see, by the checkout's own words and sums.

use db::tx::Tx;

use crate::app::App;
use crate::checkout::form::FormFields;
use crate::checkout::form_pages::FormPage;
use crate::checkout::views::OrderView;
use crate::merchants::look::SellerProfile;
use crate::payment_links;
use crate::payment_links::api::CreatePaymentLinkRequest;
use crate::payment_links::params::PaymentLinkParams;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;

/// The order of a link that does not exist yet.
pub async fn of(
    app: &App,
    scope: Scope,
    body: CreatePaymentLinkRequest,
    lang: Lang,
) -> Result<OrderView> {
    let params = PaymentLinkParams::from(body);
    let draft = async move |tx: &Tx| payment_links::draft(tx, scope, &params).await;
    // The seller's name stands on the page around the preview.
    let seller = SellerProfile::default();
    let page = (scope, app.read(draft).await?, seller);
    let posted = FormFields::default();
    let order = page.offer(app, &posted, None).await?;
    Ok(page.order(app, lang, &order, &posted))
}
