//! A link as JSON, for pages that merchants build themselves; also records the click that led
//! there.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::payment_links::public_api::{PublicPaymentLinkResponse, read};
use crate::platform::error::Result;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::openapi::describe::DescribeReply;
use crate::platform::openapi::operation::Operation;

/// By whose address the buyer came.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct LinkQuery {
    /// An affiliate code; records a click and sets the `affiliate` cookie.
    aff: Option<String>,
}

/// A link, and the cookie for the buyer.
pub struct LinkWithCookie {
    reply: PublicPaymentLinkResponse,
    kept: Option<(HeaderName, HeaderValue)>,
}

/// GET /api/payment-links/public/slug/{slug}
pub async fn show(
    State(app): State<App>,
    PathParam(slug): PathParam<String>,
    visitor: Visitor,
    Query(query): Query<LinkQuery>,
) -> Result<LinkWithCookie> {
    let (scope, reply) = read(&app, slug).await?;
    let kept = match query.aff {
        Some(code) => visitor.follow(&app, scope, &code).await,
        None => None,
    };
    Ok(LinkWithCookie { reply, kept })
}

impl IntoResponse for LinkWithCookie {
    fn into_response(self) -> Response {
        let mut response = Ok200(self.reply).into_response();
        response.headers_mut().extend(self.kept);
        response
    }
}

impl DescribeReply for LinkWithCookie {
    fn describe_reply(operation: &mut Operation) {
        operation.reply::<PublicPaymentLinkResponse>(200);
    }
}
