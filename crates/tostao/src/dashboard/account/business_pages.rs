//! What an account is called, and who it is.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use brazil::document::Document;
use db::tx::Tx;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::auth::elevation::Matter;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::view::{BusinessFields, BusinessPage};
use crate::dashboard::account::{close_pages, frame, look_pages};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, Posted, WrongField, faults, given, omit, patch};
use crate::dashboard::kept_form;
use crate::dashboard::parts::Action;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::merchants::{self, Merchant};
use crate::people::account_api::{AccountBody, ask_to_change};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::http::patch::Omittable;
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::{AccountWrite, NoPermission, PersonalPermission};

const PATH: &str = "/business";
const EDIT: &str = "/business/edit";
const API: &str = "/api/auth/account";
/// The fields whose errors the form shows.
const SHOWN: [&str; 3] = ["name", "phone", "document"];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct BusinessForm {
    name: String,
    phone: String,
    /// Empty where the account has one.
    document: String,
}

/// GET /account/business
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    let (lang, base_url) = (visit.lang, app.settings.base_url());
    let (merchant, is_verified) = read(&app, seat.holder.merchant).await?;
    let verified =
        if is_verified { lang.business_is_verified() } else { lang.business_unverified() };
    let document = merchant.document.as_ref().map(|document| {
        let is_whole = seat.may(PersonalPermission::DocumentsRead);
        if is_whole { document.formatted() } else { document.masked() }
    });
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let page = BusinessPage {
        lang,
        shell: frame::shell(&app, &seat, &visit, Section::Business).await?,
        edit: owners_only(&seat, EDIT, lang),
        look: owners_only(&seat, look_pages::PATH, lang),
        close: owners_only(&seat, close_pages::PATH, lang),
        facts: vec![
            (lang.business_name(), merchant.name),
            (lang.business_document(), or_none(document)),
            (lang.payment_buyer_phone(), or_none(merchant.phone)),
            (lang.business_verified(), verified.to_owned()),
        ],
        api: vec![ApiCall::of_person(&base_url, "/api/auth/me")],
    };
    visit.page(&page, StatusCode::OK)
}

/// GET /account/business/edit
pub async fn edit(
    State(app): State<App>,
    seat: PersonalSeat<AccountWrite>,
    visit: Visit,
) -> Result<Response> {
    let (merchant, _) = read(&app, seat.holder.merchant).await?;
    let stored = Posted::of(BusinessForm::of(&merchant))?;
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or(stored);
    let page = form_page(&app, &seat, &visit, &merchant, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /account/business/edit
pub async fn save(
    State(app): State<App>,
    seat: PersonalSeat<AccountWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<BusinessForm> = posted_form(request, &SHOWN).await?;
    let once = (&*form.attempt, &*form.values()?);
    let execution = frame::execution(&app, &seat, EDIT, once, seat.permit(Matter::Own))?;
    let (merchant, _) = read(&app, seat.holder.merchant).await?;
    let saved = match form.typed.changes(&form.drawn_or(BusinessForm::of(&merchant))) {
        Ok(body) => ask_to_change(&app, seat.acting(), execution, body).await,
        Err(error) => Err(error),
    };
    let Err(error) = saved else {
        return Ok(see_and_say(&app, &account_url(PATH), visit.lang.account_saved()));
    };
    let form = form.again(&error, BusinessForm::of(&merchant))?;
    let (wrong, refused) = match error {
        Error::Refused(ErrorCode::InvalidStateTransition, _) => {
            (Vec::new(), Some(visit.lang.business_document_there()))
        }
        error => faults(error, visit.lang)?,
    };
    let mut page = form_page(&app, &seat, &visit, &merchant, (&form, &wrong)).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

/// What only owners do: where, or why not.
fn owners_only(seat: &PersonalSeat<NoPermission>, path: &str, lang: Lang) -> Action {
    if seat.may(PersonalPermission::AccountWrite) {
        Action::Possible(account_url(path))
    } else {
        Action::Refused(lang.business_owner_only())
    }
}

/// The account, and whether it is verified.
async fn read(app: &App, id: MerchantId) -> Result<(Merchant, bool)> {
    let read = async move |tx: &Tx| {
        let merchant = merchants::find(tx, id).await?;
        let real = Scope { merchant: id, mode: Mode::Production, ahead: Duration::ZERO };
        Ok::<_, Error>((merchant, merchants::is_verified(tx, real).await?))
    };
    app.read(read).await
}

async fn form_page(
    app: &App,
    seat: &PersonalSeat<AccountWrite>,
    visit: &Visit,
    merchant: &Merchant,
    (form, wrong): (&Posted<BusinessForm>, &[FieldError]),
) -> Result<BusinessFields> {
    let (lang, base_url) = (visit.lang, app.settings.base_url());
    let body = json!({ "name": "Loja Exemplo", "phone": "+5511987654321" });
    let api = vec![ApiCall::send("PATCH", &base_url, API, &body).as_person()];
    let names = (lang.business_change(), lang.account_save());
    let mut frame = frame::form(app, seat, EDIT, (PATH, lang.business_title()), names, api);
    frame.drawn = form.drawn.clone();
    let field = |name, value: &str| Field::judged(name, value, wrong, lang);
    let mut page = BusinessFields {
        lang,
        shell: frame::shell(app, seat, visit, Section::Business).await?,
        frame,
        name: field("name", &form.typed.name),
        phone: field("phone", &form.typed.phone),
        document: field("document", &form.typed.document),
        stays: merchant.document.as_ref().map(Document::formatted),
    };
    page.frame.wrong = page.wrong();
    Ok(page)
}

impl BusinessForm {
    /// The form of an account as it is.
    fn of(merchant: &Merchant) -> Self {
        let phone = merchant.phone.clone().unwrap_or_default();
        Self { name: merchant.name.clone(), phone, document: String::new() }
    }

    /// The body of a request that changes what differs from the form as it was drawn.
    fn changes(&self, drawn: &Self) -> Result<AccountBody> {
        let texts = [&*self.name, &*self.phone, &*self.document];
        card_data::refuse_typed(SHOWN.into_iter().zip(texts))?;
        Ok(AccountBody {
            name: omit(&self.name, &drawn.name, Some(self.name.clone())),
            phone: patch(&self.phone, &drawn.phone, given(&self.phone)),
            document: Omittable::from(given(&self.document)),
            ..AccountBody::default()
        })
    }
}

impl BusinessFields {
    fn wrong(&self) -> Vec<WrongField> {
        let lang = self.lang;
        let fields = [
            self.name.wrong("name", lang.business_name()),
            self.phone.wrong("phone", lang.business_phone()),
            self.document.wrong("document", lang.business_document()),
        ];
        fields.into_iter().flatten().collect()
    }
}
