//! The form of a program: a new one, and one that is changed.

use db::tx::Tx;
use serde::Deserialize;

use crate::affiliates::programs::api::{ask_to_create, ask_to_update};
use crate::affiliates::programs::{self, ListedProgram};
use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::dashboard::affiliates::form::{ProgramForm, SHOWN};
use crate::dashboard::affiliates::list_pages::{API, HOME, PROGRAMS};
use crate::dashboard::affiliates::view::FormPage;
use crate::dashboard::affiliates::words;
use crate::dashboard::form::{Faults, faults};
use crate::dashboard::form_pages::{Drawing, FormVisit, NewObjectForm, ObjectForm};
use crate::dashboard::parts::Text;
use crate::dashboard::products::list_pages::LIST as PRODUCTS;
use crate::dashboard::products::offer::{OFFERED, offer};
use crate::dashboard::shell::{Section, url};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{AffiliateProgramId, ProductId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::AffiliatesWrite;

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    data: MadeProgram,
}

#[derive(Debug, Deserialize)]
struct MadeProgram {
    id: AffiliateProgramId,
}

impl ObjectForm for ProgramForm {
    type Permission = AffiliatesWrite;
    type Id = AffiliateProgramId;
    type Object = ListedProgram;
    type Page = FormPage;

    const SHOWN: &'static [&'static str] = &SHOWN;
    const LIST: &'static str = PROGRAMS;
    const API: &'static str = API;
    const BACK: Text = Lang::program_back;
    const SAVE: Text = Lang::client_save;
    const SAVED: Text = Lang::program_saved;

    async fn find(app: &App, scope: Scope, id: AffiliateProgramId) -> Result<ListedProgram> {
        app.read(async move |tx: &Tx| programs::find(tx, scope, id).await).await
    }

    fn heading(listed: &ListedProgram, lang: Lang) -> String {
        lang.program_edit_of(words::product(listed.product.as_ref(), lang))
    }

    fn stored(at: &FormVisit<AffiliatesWrite>, listed: &ListedProgram) -> Self {
        Self::of(&listed.program, at.visit.lang)
    }

    async fn save(
        &self,
        at: &FormVisit<AffiliatesWrite>,
        ticket: Ticket,
        listed: &ListedProgram,
        drawn: &Self,
    ) -> Result<()> {
        ask_to_update(&at.app, ticket, listed.program.id, self.changes(drawn)?).await?;
        Ok(())
    }

    fn faults(error: Error, lang: Lang) -> Result<Faults> {
        match error.code() {
            ErrorCode::ProgramAlreadyExists => Ok((Vec::new(), Some(lang.program_taken()))),
            _ => faults(error, lang),
        }
    }

    async fn page(
        at: &FormVisit<AffiliatesWrite>,
        listed: Option<&ListedProgram>,
        Drawing { mut frame, typed, wrong, .. }: Drawing<'_, Self>,
    ) -> Result<FormPage> {
        let (scope, lang, is_new) = (at.seat.scope, at.visit.lang, listed.is_none());
        let offered = match listed {
            None => offered(&at.app, scope, typed.product().ok()).await?,
            Some(_) => Vec::new(),
        };
        if is_new {
            // The programs are listed on the first page of the section.
            frame.back.0 = url(scope.mode, HOME);
        }
        let has_none = is_new && offered.is_empty();
        let fields = typed.fields(offered, wrong, lang);
        frame.wrong = fields.wrong(lang);
        Ok(FormPage {
            lang,
            shell: at.shell(Section::Affiliates).await?,
            frame,
            is_new,
            fields,
            products_hint: lang.program_product_hint(OFFERED),
            product_url: has_none.then(|| url(scope.mode, &format!("{PRODUCTS}/new"))),
        })
    }
}

impl NewObjectForm for ProgramForm {
    const NEW: Text = Lang::program_new;
    const LIST_TITLE: Text = Lang::affiliates_title;
    const MAKE: Text = Lang::program_make;
    const MADE: Text = Lang::program_made;

    async fn make(
        &self,
        at: &FormVisit<AffiliatesWrite>,
        ticket: Ticket,
    ) -> Result<AffiliateProgramId> {
        let made: Made = ask_to_create(&at.app, ticket, self.body()?).await?.read()?;
        Ok(made.data.id)
    }
}

/// The products that the form offers, by their names.
async fn offered(
    app: &App,
    scope: Scope,
    chosen: Option<ProductId>,
) -> Result<Vec<(ProductId, String)>> {
    let offer = offer(app, scope, None, chosen.into_iter().collect()).await?;
    let offered = offer.products.into_iter().map(|product| (product.id, product.name));
    Ok(offered.collect())
}
