//! Prefilled form values, such as those of a cart or an earlier payment.
//!
//! A URL that prefills a form may be passed on, so the page shows no full document, email, phone
//! or street: the fields are masked, the values travel sealed, and a field that comes back
//! unchanged means the value behind it.

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::checkout::form::FormFields;
use crate::checkout::sealed_form::{open_expired_for, open_for, seal_for};
use crate::platform::masked;

/// The values behind the masked fields.
#[derive(Debug, Serialize, Deserialize)]
struct PrefilledValues {
    email: String,
    document: String,
    phone: String,
    postal_code: String,
    street: String,
    number: String,
    complement: String,
}

/// A masked field of a form, the value behind it, and how it is shown.
type PrefilledField<'a> = (&'a mut String, &'a String, String);

/// Seals prefilled values for one page; they will be shown masked.
pub fn keep(app: &App, key: &str, posted: FormFields) -> FormFields {
    let kept = seal_for(app, &aad(key), &PrefilledValues::of(&posted));
    FormFields { kept, ..posted }
}

/// Restores the values of fields that stayed masked; expired values must be typed again.
pub fn restore(app: &App, key: &str, posted: FormFields) -> FormFields {
    if posted.kept.is_empty() {
        return FormFields { has_kept_document: false, ..posted };
    }
    let mut restored = FormFields { has_kept_document: false, ..posted };
    if let Some(kept) = open_for::<PrefilledValues>(app, &aad(key), &restored.kept) {
        let has_kept_document = restored.document == masked::document(&kept.document);
        for (typed, value, shown) in kept.fields(&mut restored) {
            if *typed == shown {
                typed.clone_from(value);
            }
        }
        return FormFields { has_kept_document, ..restored };
    }
    for (typed, _, _) in PrefilledValues::of(&FormFields::default()).fields(&mut restored) {
        if typed.contains(masked::HIDDEN) {
            typed.clear();
        }
    }
    restored.kept.clear();
    restored
}

/// The form as it is shown: prefilled values masked, typed values as typed.
pub fn shown(app: &App, key: &str, posted: &FormFields) -> FormFields {
    let mut shown = posted.clone();
    // The values may have expired since they were restored, and stay masked.
    if let Some(kept) = open_expired_for::<PrefilledValues>(app, &aad(key), &posted.kept) {
        for (typed, value, masked) in kept.fields(&mut shown) {
            if typed == value {
                *typed = masked;
            }
        }
    }
    shown
}

impl PrefilledValues {
    fn of(posted: &FormFields) -> Self {
        Self {
            email: posted.email.clone(),
            document: posted.document.clone(),
            phone: posted.phone.clone(),
            postal_code: posted.postal_code.clone(),
            street: posted.street.clone(),
            number: posted.number.clone(),
            complement: posted.complement.clone(),
        }
    }

    /// Each masked field of a form.
    fn fields<'a>(&'a self, form: &'a mut FormFields) -> [PrefilledField<'a>; 7] {
        [
            (&mut form.email, &self.email, masked::email(&self.email)),
            (&mut form.document, &self.document, masked::document(&self.document)),
            (&mut form.phone, &self.phone, masked::phone(&self.phone)),
            (&mut form.postal_code, &self.postal_code, masked::text(&self.postal_code, 2)),
            (&mut form.street, &self.street, masked::text(&self.street, 2)),
            (&mut form.number, &self.number, masked::text(&self.number, 0)),
            (&mut form.complement, &self.complement, masked::text(&self.complement, 0)),
        ]
    }
}

fn aad(key: &str) -> String {
    format!("kept\n{key}")
}
