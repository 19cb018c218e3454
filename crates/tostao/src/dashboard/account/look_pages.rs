//! How the checkout of a shop looks: its accent colour and its logo.

use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use db::hex::hex;
use db::tx::Tx;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::auth::elevation::Matter;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::view::LookPage;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt::{self, AttemptForm};
use crate::dashboard::form::{Field, Posted, WrongField, faults, given, patch};
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::idempotency::Execution;
use crate::merchants;
use crate::merchants::look::accent::{Accent, AccentFault};
use crate::merchants::look::picture::{self, PictureFault};
use crate::merchants::look::{Look, api as look};
use crate::people::account_api::{AccountBody, ask_to_change};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::read;
use crate::platform::http::card_data;
use crate::platform::http::html::posted;
use crate::platform::http::multipart;
use crate::platform::ids::MerchantId;
use crate::platform::messages::Lang;
use crate::platform::permissions::AccountWrite;
use crate::platform::secrets::sha256;

/// The path of the page.
pub const PATH: &str = "/business/look";
/// Where a logo is posted. The form says itself that a file is too large, so no other part of the
/// server refuses it.
pub const UPLOAD: &str = "/account/business/look/logo";
/// The largest form with a file that is read; of a larger one nothing is left.
pub const UPLOAD_BYTES_MAX: usize = 128 * 1024;

const SET: &str = "/business/look/logo";
const CLEAR: &str = "/business/look/clear";
const API: &str = "/api/auth/account";
const LOGO_API: &str = "/api/auth/account/logo";
/// The names of the fields.
const ACCENT: &str = "accentColor";
const LOGO: &str = "logo";

/// The field by the name of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AccentForm {
    /// `None` where another form of the page was posted.
    accent_color: Option<String>,
}

/// What was posted with a file.
struct LogoForm {
    attempt: String,
    /// Nothing, if no file was chosen.
    content: Bytes,
}

/// What is wrong with the page's forms.
#[derive(Default)]
struct Wrong {
    accent: Option<String>,
    logo: Option<&'static str>,
    /// Why nothing was done, where no field is the reason.
    refused: Option<&'static str>,
}

/// GET /account/business/look
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<AccountWrite>,
    visit: Visit,
) -> Result<Response> {
    let kept = kept_form::read::<AccentForm>(&app, seat.who(), &visit);
    let typed = kept.and_then(|form| form.accent_color);
    let page = page(&app, &seat, &visit, typed.as_deref(), Wrong::default()).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /account/business/look
pub async fn save(
    State(app): State<App>,
    seat: PersonalSeat<AccountWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<AccentForm> = posted_form(request, &[ACCENT]).await?;
    let once = (&*form.attempt, &*form.values()?);
    let execution = frame::execution(&app, &seat, PATH, once, seat.permit(Matter::Own))?;
    let typed = form.typed.accent_color.clone().unwrap_or_default();
    let drawn = form.drawn_or(AccentForm::default()).accent_color.unwrap_or_default();
    let color = patch(&typed, &drawn, given(&typed));
    let saved = match card_data::refuse_typed([(ACCENT, &*typed)]) {
        Ok(()) => {
            let body = AccountBody { accent_color: color, ..AccountBody::default() };
            ask_to_change(&app, seat.acting(), execution, body).await
        }
        Err(error) => Err(error),
    };
    let Err(error) = saved else {
        return Ok(see_and_say(&app, &account_url(PATH), visit.lang.account_saved()));
    };
    let (wrong, refused) = faults(error, visit.lang)?;
    let nearest = match Accent::parse(&typed) {
        Err(AccentFault::LowContrast(nearest)) => Some(visit.lang.look_low_contrast(nearest)),
        Err(AccentFault::NotAColor) => Some(visit.lang.look_no_color().to_owned()),
        Ok(_) => Field::judged(ACCENT, "", &wrong, visit.lang).error,
    };
    let wrong = Wrong { accent: nearest.filter(|_| !wrong.is_empty()), logo: None, refused };
    visit.refused(&page(&app, &seat, &visit, Some(&typed), wrong).await?)
}

/// POST /account/business/look/logo
pub async fn set_logo(
    State(app): State<App>,
    seat: PersonalSeat<AccountWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let lang = visit.lang;
    let form = LogoForm::read(request).await?;
    let fault = match &form {
        Some(form) if form.content.is_empty() => Some(lang.required()),
        Some(form) => picture::read(&form.content).err().map(|fault| text(fault, lang)),
        None => Some(text(PictureFault::TooLarge, lang)),
    };
    let (Some(LogoForm { attempt, content }), None) = (form, fault) else {
        let wrong = Wrong { logo: fault, ..Wrong::default() };
        return visit.refused(&page(&app, &seat, &visit, None, wrong).await?);
    };
    let once = (&*attempt, &*hex(&sha256(&content)));
    let execution = frame::execution(&app, &seat, SET, once, seat.permit(Matter::Own))?;
    let by = (seat.holder.merchant, seat.by());
    match look::ask_to_set(&app, by, &visit.context, execution, content).await {
        Ok(_) => Ok(see_and_say(&app, &account_url(PATH), lang.look_logo_saved())),
        Err(error) => {
            let (_, refused) = faults(error, lang)?;
            let wrong = Wrong { refused, ..Wrong::default() };
            visit.refused(&page(&app, &seat, &visit, None, wrong).await?)
        }
    }
}

/// POST /account/business/look/clear
pub async fn remove_logo(
    State(app): State<App>,
    seat: PersonalSeat<AccountWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let AttemptForm { attempt } = posted(request).await?;
    let execution: Execution =
        frame::execution(&app, &seat, CLEAR, (&attempt, ""), seat.permit(Matter::Own))?;
    look::ask_to_remove(&app, (seat.holder.merchant, seat.by()), execution).await?;
    Ok(see_and_say(&app, &account_url(PATH), visit.lang.look_logo_removed()))
}

/// What is wrong with a file.
fn text(fault: PictureFault, lang: Lang) -> &'static str {
    match fault {
        PictureFault::NotAPicture => lang.field_image(),
        PictureFault::TooLarge => lang.look_logo_too_large(),
        PictureFault::TooWide => lang.look_logo_too_wide(),
    }
}

/// The look of an account's shop.
async fn stored(app: &App, id: MerchantId) -> Result<Look> {
    Ok(app.read(async move |tx: &Tx| merchants::find(tx, id).await).await?.look)
}

async fn page(
    app: &App,
    seat: &PersonalSeat<AccountWrite>,
    visit: &Visit,
    typed: Option<&str>,
    wrong: Wrong,
) -> Result<LookPage> {
    let (lang, base_url) = (visit.lang, app.settings.base_url());
    let Look { accent, logo } = stored(app, seat.holder.merchant).await?;
    let accent = accent.map(|accent| accent.to_string());
    let drawn = Posted::of(AccentForm { accent_color: accent.clone() })?.drawn;
    let value = typed.map(str::to_owned).or(accent).unwrap_or_default();
    let accent = Field { value, error: wrong.accent };
    let file = Field { value: String::new(), error: wrong.logo.map(str::to_owned) };
    let fields = [accent.wrong(ACCENT, lang.look_accent()), file.wrong(LOGO, lang.look_logo())];
    let mut wrong_fields: Vec<WrongField> = Vec::new();
    wrong_fields.extend(fields.into_iter().flatten());
    let fresh = || attempt::fresh(app, seat.scope());
    Ok(LookPage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Business).await?,
        back_url: account_url("/business"),
        page_url: account_url(PATH),
        refused: wrong.refused,
        wrong: wrong_fields,
        accent,
        drawn,
        file,
        logo,
        attempts: [fresh(), fresh(), fresh()],
        api: vec![
            ApiCall::send("PATCH", &base_url, API, &json!({ ACCENT: "#0a6b50" })).as_person(),
            ApiCall::upload(&base_url, LOGO_API, "image/png", "logo.png").as_person(),
            ApiCall::of_person(&base_url, LOGO_API).deleting(),
        ],
    })
}

impl LogoForm {
    /// Reads the form; `None` if it was larger than is read.
    async fn read(request: Request) -> Result<Option<Self>> {
        let headers = request.headers().clone();
        let unreadable = || Error::refused(ErrorCode::ValidationError, "The form cannot be read.");
        if !multipart::is_sent(&headers) {
            return Err(unreadable());
        }
        let body = read(request, UPLOAD_BYTES_MAX).await?;
        if body.is_empty() {
            return Ok(None);
        }
        let parts = multipart::parts(&headers, &body).ok_or_else(unreadable)?;
        let mut form = Self { attempt: String::new(), content: Bytes::new() };
        for part in parts {
            match &*part.name {
                "attempt" => form.attempt = String::from_utf8_lossy(&part.content).into_owned(),
                LOGO => form.content = part.content,
                _ => {}
            }
        }
        Ok(Some(form))
    }
}
