//! The deletion of a product, whose name is typed to confirm it.

use db::tx::Tx;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::dashboard::confirm::{Deletion, DeletionOf};
use crate::dashboard::deletion_pages::Deletable;
use crate::dashboard::form_pages::FormVisit;
use crate::dashboard::parts::Text;
use crate::dashboard::products::list_pages::{API, LIST};
use crate::dashboard::shell::Section;
use crate::platform::error::Result;
use crate::platform::ids::{ProductId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::ProductsWrite;
use crate::products::api::ask_to_delete;
use crate::products::{self, Product};

impl Deletable for Product {
    type Permission = ProductsWrite;
    type Id = ProductId;

    const LIST: &'static str = LIST;
    const API: &'static str = API;
    const DELETED: Text = Lang::product_was_deleted;

    async fn find(app: &App, scope: Scope, id: ProductId) -> Result<Self> {
        app.read(async move |tx: &Tx| products::find(tx, scope, id).await).await
    }

    fn deletion(&self, lang: Lang) -> Deletion {
        Deletion {
            section: Section::Products,
            heading: lang.product_delete_of(&self.name),
            back: lang.product_back(),
            effects: [lang.product_delete_gone(), lang.product_delete_stays()],
            name: self.name.clone(),
            button: lang.product_delete_now(),
            of: DeletionOf::Object,
        }
    }

    async fn ask(at: &FormVisit<ProductsWrite>, ticket: Ticket, id: ProductId) -> Result<()> {
        ask_to_delete(&at.app, ticket, id).await?;
        Ok(())
    }
}
