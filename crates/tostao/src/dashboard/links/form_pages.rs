//! The form of a payment link: a new one, and one that is changed or gets a new date once expired.

use db::tx::Tx;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{self, Faults};
use crate::dashboard::form_pages::{Drawing, FormVisit, NewObjectForm, ObjectForm};
use crate::dashboard::links::form::{LinkForm, SHOWN};
use crate::dashboard::links::form_view::{FormPage, LinkFields, ProductChoice};
use crate::dashboard::links::list_pages::{API, LIST};
use crate::dashboard::parts::Text;
use crate::dashboard::products::offer::offer;
use crate::dashboard::shell::Section;
use crate::payment_links::api::{ask, ask_to_update};
use crate::payment_links::{self, PaymentLink, status};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::ids::{PaymentLinkId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::PaymentLinksWrite;
use crate::products::{Product, Status};

/// What the form reads of the answer.
#[derive(Debug, Deserialize)]
struct Made {
    data: MadeLink,
}

#[derive(Debug, Deserialize)]
struct MadeLink {
    id: PaymentLinkId,
}

impl ObjectForm for LinkForm {
    type Permission = PaymentLinksWrite;
    type Id = PaymentLinkId;
    type Object = PaymentLink;
    type Page = FormPage;

    const SHOWN: &'static [&'static str] = &SHOWN;
    const LIST: &'static str = LIST;
    const API: &'static str = API;
    const BACK: Text = Lang::links_back;
    const SAVE: Text = Lang::links_save;
    const SAVED: Text = Lang::links_changed;

    async fn find(app: &App, scope: Scope, id: PaymentLinkId) -> Result<PaymentLink> {
        app.read(async move |tx: &Tx| payment_links::find(tx, scope, id).await).await
    }

    fn heading(_link: &PaymentLink, lang: Lang) -> String {
        lang.links_edit().to_owned()
    }

    fn stored(at: &FormVisit<PaymentLinksWrite>, link: &PaymentLink) -> Self {
        Self::of(link, at.visit.lang)
    }

    fn proposed(self, at: &FormVisit<PaymentLinksWrite>, link: &PaymentLink) -> Self {
        if link.status == status::Status::Expired {
            self.until_later(at.seat.scope.at(at.app.now()))
        } else {
            self
        }
    }

    async fn save(
        &self,
        at: &FormVisit<PaymentLinksWrite>,
        ticket: Ticket,
        link: &PaymentLink,
        drawn: &Self,
    ) -> Result<()> {
        ask_to_update(&at.app, ticket, link.id, self.changes(drawn)?).await?;
        Ok(())
    }

    fn faults(error: Error, lang: Lang) -> Result<Faults> {
        let field = |field: &str| {
            let field = field.to_owned();
            vec![FieldError { field, code: "REQUIRED", message: String::new() }]
        };
        match error {
            Error::Refused(ErrorCode::MissingAmountOrProducts, _) => {
                Ok((field("amountCents"), None))
            }
            Error::Refused(ErrorCode::NoPaymentMethodEnabled, _) => {
                Ok((field("settings.pixEnabled"), None))
            }
            Error::Refused(ErrorCode::ProductInactive, _) => {
                Ok((Vec::new(), Some(lang.links_product_off())))
            }
            error => form::faults(error, lang),
        }
    }

    async fn page(
        at: &FormVisit<PaymentLinksWrite>,
        link: Option<&PaymentLink>,
        Drawing { mut frame, typed, wrong, .. }: Drawing<'_, Self>,
    ) -> Result<FormPage> {
        let (app, lang, base_url) = (&at.app, at.visit.lang, at.app.settings.base_url());
        let offered = offered(app, at.seat.scope, typed, lang).await?;
        let fields = LinkFields::new(typed, &offered, wrong, lang);
        frame.wrong = fields.wrong(lang);
        frame.api = vec![match link {
            None => {
                let body = json!({ "title": lang.links_first_title(), "amountCents": 4_990 });
                ApiCall::send("POST", &base_url, API, &body)
            }
            Some(link) => {
                let (path, body) = (format!("{API}/{}", link.id), json!({ "title": link.title }));
                ApiCall::send("PATCH", &base_url, &path, &body)
            }
        }];
        Ok(FormPage {
            lang,
            shell: at.shell(Section::Links).await?,
            frame,
            takes_payments: app.providers.takes_payments(at.seat.scope.mode),
            has_preview: link.is_none(),
            preview: None,
            fields,
        })
    }
}

impl NewObjectForm for LinkForm {
    const NEW: Text = Lang::links_new;
    const LIST_TITLE: Text = Lang::links_title;
    const MAKE: Text = Lang::links_make;
    const MADE: Text = Lang::links_made;

    async fn make(
        &self,
        at: &FormVisit<PaymentLinksWrite>,
        ticket: Ticket,
    ) -> Result<PaymentLinkId> {
        let made: Made = ask(&at.app, ticket, self.body()?).await?.read()?;
        Ok(made.data.id)
    }
}

/// The products that a form offers: the newest that are for sale, and those that it names.
async fn offered(
    app: &App,
    scope: Scope,
    form: &LinkForm,
    lang: Lang,
) -> Result<Vec<ProductChoice>> {
    let named = form.rows().iter().filter_map(|(product, _)| product.parse().ok()).collect();
    let offer = offer(app, scope, Some(Status::Active), named).await?;
    let choice =
        |id: String, name, is_deleted| ProductChoice { id, name, is_chosen: false, is_deleted };
    let known = offer.products.iter().map(|product: &Product| {
        let name = format!("{} · {}", product.name, lang.money(product.price.get()));
        choice(product.id.to_string(), name, false)
    });
    let deleted = offer.deleted.iter();
    let deleted =
        deleted.map(|(id, name)| choice(id.to_string(), lang.product_deleted(name), true));
    Ok(known.chain(deleted).collect())
}
