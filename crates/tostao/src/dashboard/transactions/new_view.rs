//! What the form of a charge shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::shell::Shell;
use crate::dashboard::transactions::new_form::ChargeFields;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The form.
#[derive(Template)]
#[template(path = "dashboard/transactions/new.html")]
pub struct FormPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    pub fields: ChargeFields,
    /// Whether the bank registers no boleto without its payer's address.
    pub asks_address: bool,
    /// Where a link is made, by which buyers pay with cards.
    pub link_url: String,
}

/// What stands in the form's place where no bank could issue a charge.
#[derive(Template)]
#[template(path = "dashboard/transactions/no_bank.html")]
pub struct NoBankPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub api: Vec<ApiCall>,
}
