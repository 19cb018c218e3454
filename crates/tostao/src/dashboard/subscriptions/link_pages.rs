//! The address at which a subscriber gives another card, and manages the subscription.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde_json::json;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::billing::current;
use crate::billing::reading_api::ManageLinkView;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::links::link_pages::{mail_to, whatsapp};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::list_pages::Eyes;
use crate::dashboard::subscriptions::paths::{API, LIST};
use crate::dashboard::subscriptions::subscription_view::LinkPage;
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{Error, Result};
use crate::platform::http::path::PathParam;
use crate::platform::ids::SubscriptionId;
use crate::platform::permissions::SubscriptionsWrite;

/// GET /dashboard/{mode}/subscriptions/{id}/link
pub async fn show(
    State(app): State<App>,
    seat: Seat<SubscriptionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<SubscriptionId>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let subscription = current(&app, scope, id).await?;
    if subscription.status.has_ended() {
        let current = subscription.status.to_string();
        let message = "It has ended, and its address with it.".to_owned();
        return Err(Error::State { current, message });
    }
    let ManageLinkView { url: portal_url, card_url, .. } = ManageLinkView::of(&app, scope, id);
    let call = format!("{API}/{id}/manage-link");
    let call = ApiCall::send("POST", &app.settings.base_url(), &call, &json!({}));
    let text = lang.subscription_link_share(&subscription.plan_name, &card_url);
    let page = LinkPage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Subscriptions).await?,
        back_url: url(scope.mode, &format!("{LIST}/{id}")),
        name: Eyes::of(&seat, lang).name(&subscription),
        whatsapp_url: whatsapp(&text),
        mail_url: mail_to(&subscription.plan_name, &text),
        card_url,
        portal_url,
        api: vec![call],
    };
    visit.page(&page, StatusCode::OK)
}
