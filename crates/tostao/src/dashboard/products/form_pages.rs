//! The form of a product: a new one, and one that is changed.

use db::tx::Tx;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::dashboard::form_pages::{Drawing, FormVisit, NewObjectForm, ObjectForm};
use crate::dashboard::parts::Text;
use crate::dashboard::products::form::{ProductForm, SHOWN};
use crate::dashboard::products::list_pages::{API, LIST};
use crate::dashboard::products::product_view::FormPage;
use crate::dashboard::shell::Section;
use crate::platform::error::Result;
use crate::platform::ids::{ProductId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::ProductsWrite;
use crate::products::api::{ask_to_create, ask_to_update};
use crate::products::{self, Product};

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    product: MadeProduct,
}

#[derive(Debug, Deserialize)]
struct MadeProduct {
    id: ProductId,
}

impl ObjectForm for ProductForm {
    type Permission = ProductsWrite;
    type Id = ProductId;
    type Object = Product;
    type Page = FormPage;

    const SHOWN: &'static [&'static str] = &SHOWN;
    const LIST: &'static str = LIST;
    const API: &'static str = API;
    const BACK: Text = Lang::product_back;
    const SAVE: Text = Lang::client_save;
    const SAVED: Text = Lang::product_saved;

    async fn find(app: &App, scope: Scope, id: ProductId) -> Result<Product> {
        app.read(async move |tx: &Tx| products::find(tx, scope, id).await).await
    }

    fn heading(product: &Product, lang: Lang) -> String {
        lang.coupon_edit_of(&product.name)
    }

    fn stored(at: &FormVisit<ProductsWrite>, product: &Product) -> Self {
        Self::of(product, at.visit.lang)
    }

    async fn save(
        &self,
        at: &FormVisit<ProductsWrite>,
        ticket: Ticket,
        product: &Product,
        drawn: &Self,
    ) -> Result<()> {
        ask_to_update(&at.app, ticket, product.id, self.changes(drawn)?).await?;
        Ok(())
    }

    async fn page(
        at: &FormVisit<ProductsWrite>,
        _product: Option<&Product>,
        Drawing { mut frame, typed, wrong, .. }: Drawing<'_, Self>,
    ) -> Result<FormPage> {
        let lang = at.visit.lang;
        let fields = typed.fields(wrong, lang);
        frame.wrong = fields.wrong(lang);
        Ok(FormPage { lang, shell: at.shell(Section::Products).await?, frame, fields })
    }
}

impl NewObjectForm for ProductForm {
    const NEW: Text = Lang::product_new;
    const LIST_TITLE: Text = Lang::products_title;
    const MAKE: Text = Lang::product_make;
    const MADE: Text = Lang::product_made;

    async fn make(&self, at: &FormVisit<ProductsWrite>, ticket: Ticket) -> Result<ProductId> {
        let made: Made = ask_to_create(&at.app, ticket, self.body()?).await?.read()?;
        Ok(made.product.id)
    }
}
