//! The form of a client, which becomes the body that programs send.

use serde::{Deserialize, Serialize};

use crate::clients::CustomerDetails;
use crate::clients::params::ClientParams;
use crate::dashboard::form::{Field, WrongField, omit, patch};
use crate::platform::error::{FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::http::patch::Patch;
use crate::platform::messages::Lang;

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 4] = ["name", "email", "phone", "document"];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct EditForm {
    pub name: String,
    pub email: String,
    pub phone: String,
    /// Empty where it stays as it is: the page does not show the one that there is.
    pub document: String,
    pub remove_document: String,
}

/// The fields as they were typed, with what is wrong with them.
pub struct EditFields {
    pub name: Field,
    pub email: Field,
    pub phone: Field,
    pub document: Field,
    pub removes_document: bool,
}

impl EditForm {
    /// The form of a client as they are.
    pub fn of(customer: &CustomerDetails) -> Self {
        Self {
            name: customer.name.clone(),
            email: customer.email.clone(),
            phone: customer.phone.clone().unwrap_or_default(),
            ..Self::default()
        }
    }

    /// The body of a request that changes what differs from the form as it was drawn.
    pub fn changes(&self, drawn: &Self) -> Result<ClientParams> {
        let Self { name, email, phone, document, .. } = self;
        let texts = [name, email, phone, document].map(String::as_str);
        card_data::refuse_typed(SHOWN.into_iter().zip(texts))?;
        let document = match self.document.trim() {
            "" if self.remove_document.is_empty() => Patch::Keep,
            "" => Patch::Clear,
            document => Patch::Set(document.to_owned()),
        };
        Ok(ClientParams {
            name: omit(&self.name, &drawn.name, Some(self.name.clone())),
            email: omit(&self.email, &drawn.email, Some(self.email.trim().to_owned())),
            document,
            phone: patch(&self.phone, &drawn.phone, Some(self.phone.clone())),
        })
    }

    /// The fields as they were typed.
    pub fn fields(&self, wrong: &[FieldError], lang: Lang) -> EditFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        EditFields {
            name: field("name", &self.name),
            email: field("email", &self.email),
            phone: field("phone", &self.phone),
            document: field("document", &self.document),
            removes_document: !self.remove_document.is_empty(),
        }
    }
}

impl EditFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.name.wrong("name", lang.client_name()),
            self.email.wrong("email", lang.client_email()),
            self.phone.wrong("phone", lang.payment_buyer_phone()),
            self.document.wrong("document", lang.payment_buyer_document()),
        ];
        fields.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::EditForm;
    use crate::platform::http::patch::Patch;

    #[test]
    fn a_document_stays_unless_another_one_is_typed_or_it_is_removed() {
        let of = |document: &str, remove: &str| {
            let (document, remove_document) = (document.to_owned(), remove.to_owned());
            EditForm { document, remove_document, ..EditForm::default() }
                .changes(&EditForm::default())
                .expect("is no card")
                .document
        };
        assert_eq!(of(" ", ""), Patch::Keep);
        assert_eq!(of("", "true"), Patch::Clear);
        assert_eq!(of("529.982.247-25", ""), Patch::Set("529.982.247-25".to_owned()));
    }
}
