//! The form of a client.

use brazil::document::Document;
use db::tx::Tx;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::clients::api::ask_to_update;
use crate::clients::{self, Client};
use crate::dashboard::clients::client_view::EditPage;
use crate::dashboard::clients::edit_form::{EditForm, SHOWN};
use crate::dashboard::clients::list_pages::{API, LIST};
use crate::dashboard::form::{Faults, faults};
use crate::dashboard::form_pages::{Drawing, FormVisit, ObjectForm};
use crate::dashboard::parts::Text;
use crate::dashboard::shell::Section;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{ClientId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::CustomersWrite;

impl ObjectForm for EditForm {
    type Permission = CustomersWrite;
    type Id = ClientId;
    type Object = Client;
    type Page = EditPage;

    const SHOWN: &'static [&'static str] = &SHOWN;
    const LIST: &'static str = LIST;
    const API: &'static str = API;
    const BACK: Text = Lang::client_back;
    const SAVE: Text = Lang::client_save;
    const SAVED: Text = Lang::client_saved;

    async fn find(app: &App, scope: Scope, id: ClientId) -> Result<Client> {
        app.read(async move |tx: &Tx| clients::find(tx, scope, id).await).await
    }

    fn heading(_client: &Client, lang: Lang) -> String {
        lang.client_edit().to_owned()
    }

    fn stored(_at: &FormVisit<CustomersWrite>, client: &Client) -> Self {
        Self::of(&client.customer)
    }

    async fn save(
        &self,
        at: &FormVisit<CustomersWrite>,
        ticket: Ticket,
        client: &Client,
        drawn: &Self,
    ) -> Result<()> {
        let (changes, sees) = (self.changes(drawn)?, (Some(at.seat.person), at.seat.documents()));
        ask_to_update(&at.app, &at.visit.context, ticket, sees, client.id, changes).await?;
        Ok(())
    }

    fn faults(error: Error, lang: Lang) -> Result<Faults> {
        match error {
            Error::Refused(ErrorCode::AlreadyExists, _) => {
                Ok((Vec::new(), Some(lang.client_is_another())))
            }
            error => faults(error, lang),
        }
    }

    async fn page(
        at: &FormVisit<CustomersWrite>,
        client: Option<&Client>,
        Drawing { mut frame, typed, wrong, .. }: Drawing<'_, Self>,
    ) -> Result<EditPage> {
        let lang = at.visit.lang;
        let document = client.and_then(|client| client.customer.document.as_ref());
        let fields = typed.fields(wrong, lang);
        frame.wrong = fields.wrong(lang);
        Ok(EditPage {
            lang,
            shell: at.shell(Section::Clients).await?,
            frame,
            document: document.map(Document::masked),
            fields,
        })
    }
}
