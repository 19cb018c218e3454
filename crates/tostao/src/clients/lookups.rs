//! How often a person who sees documents masked may look for a whole one.

use crate::app::App;
use crate::clients::list::Filter;
use crate::platform::error::Result;
use crate::platform::http::context::RequestContext;
use crate::platform::http::rate_limit::DOCUMENT_LOOKUP;
use crate::platform::ids::PersonId;
use crate::platform::masked::Documents;

/// Counts a request that says whether a client has a document, because many of them would say whose
/// document each one is.
pub fn count(
    app: &App,
    context: &RequestContext,
    person: Option<PersonId>,
    documents: Documents,
) -> Result<()> {
    if let (Some(person), Documents::Masked) = (person, documents) {
        let limited = app.limits.check(&DOCUMENT_LOOKUP, &person.to_string(), app.now());
        context.note_rate(limited?);
    }
    Ok(())
}

/// Counts a list of clients, if they are found by their documents.
pub fn count_list(
    app: &App,
    context: &RequestContext,
    person: Option<PersonId>,
    documents: Documents,
    filter: &Filter,
) -> Result<()> {
    if filter.names_document() { count(app, context, person, documents) } else { Ok(()) }
}
