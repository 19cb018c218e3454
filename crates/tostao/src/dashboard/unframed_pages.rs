//! Refusals from outside of the frame of the dashboard's pages: the request took too long, or its
//! address has no such page.

use askama::Template;
use axum::response::Response;

use crate::auth::seat::{ACCOUNT, ADMIN, DASHBOARD, SIGN_IN, mode_of};
use crate::dashboard::entry::reset_pages::FORGOT;
use crate::dashboard::frame_pages::said;
use crate::dashboard::shell;
use crate::dashboard::view::{OutsidePage, Refusal};
use crate::platform::error::Error;
use crate::platform::http::context::RequestContext;
use crate::platform::http::error_response;
use crate::platform::http::html::html_response;
use crate::platform::http::language::RequestLanguage;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;

/// Where the pages are for the people of accounts, also before they sign in.
const AREAS: [&str; 11] = [
    DASHBOARD,
    ADMIN,
    ACCOUNT,
    SIGN_IN,
    "/sign-up",
    "/sign-out",
    FORGOT,
    "/reset",
    "/setup",
    "/invitations",
    "/email-change",
];

/// The page about an error at an address of the dashboard; `None` at any other address.
pub fn page(
    error: &Error,
    context: &RequestContext,
    language: RequestLanguage,
) -> Option<Response> {
    let html = html(error, context, language.lang)?;
    Some(html_response(html, error_response::status(error), language, false))
}

/// It stands without its reader's frame, because reading who that is may be what took too long.
fn html(error: &Error, context: &RequestContext, lang: Lang) -> Option<String> {
    if !is_of_dashboard(&context.path) {
        return None;
    }
    let (heading, note) = said(error, lang);
    let home = shell::url(mode_of(&context.path).unwrap_or(Mode::Development), "");
    let way_out = match error {
        Error::TooMany { .. } => (context.retry_url(), lang.try_again()),
        _ => (home, lang.refused_back()),
    };
    let refusal = Refusal {
        heading,
        note,
        who_can: Vec::new(),
        reference: lang.refused_reference(&context.request_id, error.code().name()),
        elsewhere: Vec::new(),
        way_out,
    };
    let language_url = format!("{}?lang={}", context.path, lang.other().tag());
    OutsidePage { lang, language_url, refusal }.render().ok()
}

fn is_of_dashboard(path: &str) -> bool {
    let mut rests = AREAS.into_iter().filter_map(|area| path.strip_prefix(area));
    rests.any(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::{html, is_of_dashboard};
    use crate::platform::error::Error;
    use crate::platform::http::context::RequestContext;
    use crate::platform::messages::Lang;

    #[test]
    fn a_form_of_the_dashboard_that_took_too_long_may_have_worked_and_leads_back() {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let at = |path: &str| RequestContext::new("a-request".to_owned(), path.to_owned(), address);
        let context = at("/dashboard/prod/balance/withdraw/confirm");
        let slow = Error::Unknown("the request took too long".to_owned());
        let table = [
            (Lang::PtBr, "Pode ter sido feito: confira antes de repetir."),
            (Lang::En, "It may have been done: check before you repeat it."),
        ];
        for (lang, note) in table {
            let html = html(&slow, &context, lang).expect("is the dashboard's");
            assert!(html.contains(note) && html.contains("a-request"), "{html}");
            assert!(html.contains("href=\"/dashboard/prod\""), "{html}");
            assert!(!html.contains("pague"), "{html}");
        }
        assert!(html(&slow, &at("/pay/loja"), Lang::PtBr).is_none());
    }

    #[test]
    fn an_address_is_the_dashboards_or_a_buyers() {
        let of_people = [
            "/dashboard",
            "/dashboard/dev/",
            "/account/team",
            "/admin/prod",
            "/sign-in",
            "/sign-in/code",
            "/sign-up",
            "/sign-out",
            "/forgot",
            "/reset/a-token",
            "/setup/a-token",
            "/invitations/a-token",
            "/email-change/a-token/stop",
        ];
        for path in of_people {
            assert!(is_of_dashboard(path), "{path}");
        }
        for path in ["/", "/dashboards", "/pay/dashboard", "/accounts/1", "/subscription/a-token"] {
            assert!(!is_of_dashboard(path), "{path}");
        }
    }

    #[test]
    fn every_route_of_the_dashboard_is_in_one_of_its_areas() {
        let routes = include_str!("../routes/pages.rs");
        let (_, routes) = routes.split_once("fn dashboard_pages").expect("has them");
        let paths: Vec<_> = routes.split('"').filter(|text| text.starts_with('/')).collect();
        for known in ["/sign-in", "/email-change/{token}/stop", "/account/team"] {
            assert!(paths.contains(&known), "{known}");
        }
        for path in paths {
            assert!(is_of_dashboard(path), "{path}");
        }
    }
}
