//! The end of a program, whose product is typed to confirm it.

use db::tx::Tx;

use crate::affiliates::programs::api::ask_to_delete;
use crate::affiliates::programs::{self, ListedProgram};
use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::dashboard::affiliates::list_pages::{API, HOME, PROGRAMS};
use crate::dashboard::affiliates::words;
use crate::dashboard::confirm::{Deletion, DeletionOf};
use crate::dashboard::deletion_pages::Deletable;
use crate::dashboard::form_pages::FormVisit;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::Section;
use crate::platform::error::Result;
use crate::platform::ids::{AffiliateProgramId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::AffiliatesWrite;

impl Deletable for ListedProgram {
    type Permission = AffiliatesWrite;
    type Id = AffiliateProgramId;

    const LIST: &'static str = PROGRAMS;
    const API: &'static str = API;
    const AFTERWARDS: &'static str = HOME;
    const DELETED: Text = Lang::program_was_deleted;

    async fn find(app: &App, scope: Scope, id: AffiliateProgramId) -> Result<Self> {
        app.read(async move |tx: &Tx| programs::find(tx, scope, id).await).await
    }

    fn deletion(&self, lang: Lang) -> Deletion {
        let name = words::product(self.product.as_ref(), lang);
        Deletion {
            section: Section::Affiliates,
            heading: lang.program_delete_of(&name),
            back: lang.program_back(),
            effects: [lang.program_delete_ends(), lang.program_delete_keeps()],
            name,
            button: lang.program_delete_now(),
            of: DeletionOf::Object,
        }
    }

    async fn ask(
        at: &FormVisit<AffiliatesWrite>,
        ticket: Ticket,
        id: AffiliateProgramId,
    ) -> Result<()> {
        ask_to_delete(&at.app, ticket, id).await?;
        Ok(())
    }
}
