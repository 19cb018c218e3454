//! Where something may be that an address names and that is not there: the search, and the other
//! mode of the same account.

use http::HeaderMap;
use uuid::Uuid;

use crate::app::App;
use crate::auth::seat::SeatHolder;
use crate::dashboard::listing::joined;
use crate::dashboard::search::search_pages::{SEARCH, address, name};
use crate::dashboard::shell::{other, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::ids::Mode;
use crate::platform::permissions::PersonalPermission;
use crate::search::api::ask;
use crate::search::{Hit, Reader};

/// Where the object may be whose id is in the address of a page of a mode, and the names of these
/// places; its object is looked for in the other mode, as far as the person may read it there.
pub async fn of(
    app: &App,
    headers: &HeaderMap,
    visit: &Visit,
    mode: Mode,
) -> Result<Vec<(String, String)>> {
    let Some(id) = named(&visit.path) else { return Ok(Vec::new()) };
    let (lang, there) = (visit.lang, other(mode));
    let text = id.to_string();
    let search = joined(&url(mode, SEARCH), [("q", text.clone())].into_iter());
    let mut places = vec![(search, lang.refused_search_for(&text))];
    let Some(holder) = SeatHolder::find(app, headers, there).await? else { return Ok(places) };
    let reader = Reader {
        permissions: holder.role.permissions(there),
        documents: holder.role.documents(),
        reads_credentials: holder.role.may(PersonalPermission::CredentialsRead),
    };
    let searcher = (holder.scope(there), Some(holder.person));
    let found = ask(app, &visit.context, searcher, &text, reader).await?;
    let exact = |hit: &&Hit| hit.id == id;
    places.extend(found.hits.iter().filter(exact).map(|hit| {
        let list = name(hit.kind, lang);
        let text = match there {
            Mode::Development => lang.refused_in_test(list),
            Mode::Production => lang.refused_in_production(list),
        };
        (address(hit, there), text)
    }));
    Ok(places)
}

/// The id that an address names first.
fn named(path: &str) -> Option<Uuid> {
    path.split('/').find_map(|part| Uuid::try_parse(part).ok())
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn an_address_names_an_id_or_none() {
        let id = "01931b2c-0000-7000-8000-000000000000";
        let of = |path: &str| named(path).map(|id| id.to_string());
        assert_eq!(of(&format!("/dashboard/dev/links/{id}/edit")).as_deref(), Some(id));
        assert_eq!(of("/dashboard/dev/links/new"), None);
    }
}
