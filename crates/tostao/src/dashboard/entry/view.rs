//! What the pages before the dashboard show.

use askama::Template;

use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::visit_pages::Visit;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// What a form says above its fields.
pub struct Notice {
    pub heading: &'static str,
    pub text: String,
}

/// The form to sign in.
#[derive(Template)]
#[template(path = "dashboard/entry/sign_in.html")]
pub struct SignInPage {
    pub lang: Lang,
    pub language_url: String,
    /// What happened before, such as a session that ended.
    pub flash: Option<String>,
    pub notice: Option<Notice>,
    pub email: Field,
    pub password: Field,
    pub next: String,
    /// Whether this server opens accounts.
    pub opens_accounts: bool,
}

/// The form for the code of a second step.
#[derive(Template)]
#[template(path = "dashboard/entry/code.html")]
pub struct CodePage {
    pub lang: Lang,
    pub language_url: String,
    pub notice: Option<Notice>,
    pub code: Field,
    /// Who proved their password, sealed.
    pub proved: String,
}

/// The form to ask for a link that sets a new password.
#[derive(Template)]
#[template(path = "dashboard/entry/forgot.html")]
pub struct ForgotPage {
    pub lang: Lang,
    pub language_url: String,
    pub notice: Option<Notice>,
    pub email: Field,
}

/// The form that such a link leads to.
#[derive(Template)]
#[template(path = "dashboard/entry/reset.html")]
pub struct ResetPage {
    pub lang: Lang,
    pub language_url: String,
    pub notice: Option<Notice>,
    pub new_password: Field,
    pub place: String,
}

/// What a link in a mail does once its button is pressed.
#[derive(Template)]
#[template(path = "dashboard/entry/link.html")]
pub struct LinkPage {
    pub lang: Lang,
    pub language_url: String,
    pub heading: &'static str,
    pub note: String,
    /// The button; `None` while the link does nothing yet.
    pub button: Option<&'static str>,
    pub place: String,
}

/// A page in place of a form, which says what happened or why there is none.
#[derive(Template)]
#[template(path = "dashboard/entry/message.html")]
pub struct MessagePage {
    pub lang: Lang,
    pub language_url: String,
    pub heading: &'static str,
    pub note: &'static str,
    /// Where to go from here, and the name of that.
    pub way_out: Option<(&'static str, &'static str)>,
}

/// The form to open an account.
#[derive(Template)]
#[template(path = "dashboard/entry/sign_up.html")]
pub struct SignUpPage {
    pub lang: Lang,
    pub language_url: String,
    pub notice: Option<Notice>,
    pub name: Field,
    pub email: Field,
    pub password: Field,
    pub document: Field,
    pub phone: Field,
    pub invite_code: String,
}

/// The form to open the first account.
#[derive(Template)]
#[template(path = "dashboard/entry/setup.html")]
pub struct SetupPage {
    pub lang: Lang,
    pub language_url: String,
    pub notice: Option<Notice>,
    pub name: Field,
    pub email: Field,
    pub password: Field,
    pub place: String,
}

/// The button that signs in once.
#[derive(Template)]
#[template(path = "dashboard/entry/enter.html")]
pub struct EnterPage {
    pub lang: Lang,
    pub language_url: String,
    pub place: String,
}

/// The form to accept an invitation.
#[derive(Template)]
#[template(path = "dashboard/entry/invitation.html")]
pub struct InvitationPage {
    pub lang: Lang,
    pub language_url: String,
    pub notice: Option<Notice>,
    pub account: String,
    pub email: String,
    pub role: &'static str,
    /// The name; `None` for a person who has one already.
    pub name: Option<Field>,
    pub password: Field,
    pub place: String,
}

impl LinkPage {
    /// The page in the language of a visit, without its note.
    pub fn new(visit: &Visit, heading: &'static str, button: &'static str) -> Self {
        Self {
            lang: visit.lang,
            language_url: visit.language_url(),
            heading,
            note: String::new(),
            button: Some(button),
            place: visit.path.clone(),
        }
    }
}

impl MessagePage {
    /// The page in the language of a visit.
    pub fn new(
        visit: &Visit,
        heading: &'static str,
        note: &'static str,
        way_out: Option<(&'static str, &'static str)>,
    ) -> Self {
        Self { lang: visit.lang, language_url: visit.language_url(), heading, note, way_out }
    }
}

impl SignInPage {
    fn errors(&self) -> Vec<WrongField> {
        let lang = self.lang;
        let fields = [
            self.email.wrong("email", lang.email()),
            self.password.wrong("password", lang.entry_password()),
        ];
        fields.into_iter().flatten().collect()
    }
}

impl CodePage {
    fn errors(&self) -> Vec<WrongField> {
        self.code.wrong("code", self.lang.entry_code()).into_iter().collect()
    }
}

impl ForgotPage {
    fn errors(&self) -> Vec<WrongField> {
        self.email.wrong("email", self.lang.email()).into_iter().collect()
    }
}

impl ResetPage {
    fn errors(&self) -> Vec<WrongField> {
        let wrong = self.new_password.wrong("newPassword", self.lang.entry_new_password());
        wrong.into_iter().collect()
    }
}

impl SignUpPage {
    fn errors(&self) -> Vec<WrongField> {
        let lang = self.lang;
        let fields = [
            self.name.wrong("name", lang.entry_shop_name()),
            self.email.wrong("email", lang.email()),
            self.password.wrong("password", lang.entry_new_password()),
            self.document.wrong("document", lang.entry_document()),
            self.phone.wrong("phone", lang.entry_phone()),
        ];
        fields.into_iter().flatten().collect()
    }
}

impl SetupPage {
    fn errors(&self) -> Vec<WrongField> {
        let lang = self.lang;
        let fields = [
            self.name.wrong("name", lang.entry_shop_name()),
            self.email.wrong("email", lang.email()),
            self.password.wrong("password", lang.entry_new_password()),
        ];
        fields.into_iter().flatten().collect()
    }
}

impl InvitationPage {
    fn password_label(&self) -> &'static str {
        if self.name.is_some() {
            self.lang.entry_new_password()
        } else {
            self.lang.entry_password()
        }
    }

    fn password_hint(&self) -> &'static str {
        if self.name.is_some() {
            self.lang.entry_password_hint()
        } else {
            self.lang.entry_invited_known()
        }
    }

    /// How a password manager knows the field.
    fn password_kind(&self) -> &'static str {
        if self.name.is_some() { "new-password" } else { "current-password" }
    }

    fn errors(&self) -> Vec<WrongField> {
        let name = self.name.as_ref();
        let fields = [
            name.and_then(|name| name.wrong("name", self.lang.entry_your_name())),
            self.password.wrong("password", self.password_label()),
        ];
        fields.into_iter().flatten().collect()
    }
}
