//! The deletion of a webhook, whose host is typed to confirm it.

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::dashboard::confirm::{Deletion, DeletionOf};
use crate::dashboard::deletion_pages::Deletable;
use crate::dashboard::developers::webhooks::form_pages::find;
use crate::dashboard::developers::webhooks::list_pages::{API, LIST};
use crate::dashboard::form_pages::FormVisit;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::Section;
use crate::platform::error::Result;
use crate::platform::ids::{Scope, WebhookId};
use crate::platform::messages::Lang;
use crate::platform::permissions::WebhooksWrite;
use crate::webhooks::WebhookEndpoint;
use crate::webhooks::v1::api::ask_to_delete;

impl Deletable for WebhookEndpoint {
    type Permission = WebhooksWrite;
    type Id = WebhookId;

    const LIST: &'static str = LIST;
    const API: &'static str = API;
    const DELETED: Text = Lang::webhook_was_deleted;

    async fn find(app: &App, scope: Scope, id: WebhookId) -> Result<Self> {
        find(app, scope, id).await
    }

    fn deletion(&self, lang: Lang) -> Deletion {
        Deletion {
            section: Section::Webhooks,
            heading: lang.webhook_delete().to_owned(),
            back: lang.webhook_back(),
            effects: [lang.webhook_delete_effect(), lang.webhook_delete_stays()],
            name: self.url.host().unwrap_or_else(|| self.id.to_string()),
            button: lang.webhook_delete_now(),
            of: DeletionOf::Object,
        }
    }

    async fn ask(at: &FormVisit<WebhooksWrite>, ticket: Ticket, id: WebhookId) -> Result<()> {
        ask_to_delete(&at.app, ticket, id).await?;
        Ok(())
    }
}
