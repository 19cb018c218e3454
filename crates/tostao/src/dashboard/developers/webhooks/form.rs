//! The form of a webhook, which becomes the body that programs send.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::dashboard::form::{Field, WrongField, given, omit, patch};
use crate::events::names::{ANY, Name};
use crate::platform::error::{FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::http::patch::Omittable;
use crate::platform::messages::Lang;
use crate::webhooks::WebhookEndpoint;
use crate::webhooks::v1::api::{CreateBody, UpdateBody};

/// What the name of each event's box begins with.
const BOX: &str = "events.";

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 3] = ["url", "description", "events"];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WebhookForm {
    pub url: String,
    pub description: String,
    /// Whether it receives every event, also those that are added later.
    pub every_event: String,
    /// The boxes of the events, by their names.
    #[serde(flatten)]
    pub boxes: BTreeMap<String, String>,
}

/// The fields as they were typed, with what is wrong with them.
pub struct WebhookFields {
    pub url: Field,
    pub description: Field,
    pub every_event: bool,
    pub events: Vec<EventBox>,
    /// What is wrong with the events.
    pub events_field: Field,
}

/// An event that the webhook may receive.
pub struct EventBox {
    pub field: String,
    pub name: &'static str,
    pub is_chosen: bool,
}

impl WebhookForm {
    /// The form of a new webhook.
    pub fn fresh() -> Self {
        Self { every_event: "true".to_owned(), ..Self::default() }
    }

    /// The form of a webhook as it is, with its address as the person sees it.
    pub fn of(webhook: &WebhookEndpoint, address: String) -> Self {
        let is_any = webhook.events.iter().any(|event| event == ANY);
        // An alias stands for the name of its event.
        let names = webhook.events.iter().filter_map(|event| Name::parse(event));
        Self {
            url: address,
            description: webhook.description.clone().unwrap_or_default(),
            every_event: if is_any { "true".to_owned() } else { String::new() },
            boxes: names.map(|name| (field_of(name), "true".to_owned())).collect(),
        }
    }

    /// The body of a request that creates the webhook.
    pub fn body(&self) -> Result<CreateBody> {
        self.refuse_cards()?;
        Ok(CreateBody {
            url: self.url.trim().to_owned(),
            events: self.events(),
            description: given(&self.description),
            is_active: None,
        })
    }

    /// The body of a request that changes what differs from the form as it was drawn.
    pub fn changes(&self, drawn: &Self) -> Result<UpdateBody> {
        self.refuse_cards()?;
        let events = self.events();
        Ok(UpdateBody {
            url: omit(&self.url, &drawn.url, Some(self.url.trim().to_owned())),
            events: Omittable::from((events != drawn.events()).then_some(events)),
            description: patch(&self.description, &drawn.description, given(&self.description)),
            is_active: Omittable::default(),
        })
    }

    /// The fields as they were typed.
    pub fn fields(&self, wrong: &[FieldError], lang: Lang) -> WebhookFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        let event = |name: &Name| EventBox {
            field: field_of(*name),
            name: name.text(),
            is_chosen: self.boxes.contains_key(&field_of(*name)),
        };
        WebhookFields {
            url: field("url", &self.url),
            description: field("description", &self.description),
            every_event: !self.every_event.is_empty(),
            events: Name::ALL.iter().map(event).collect(),
            events_field: field("events", ""),
        }
    }

    fn refuse_cards(&self) -> Result<()> {
        card_data::refuse_typed([("url", &*self.url), ("description", &*self.description)])
    }

    fn events(&self) -> Vec<String> {
        if !self.every_event.is_empty() {
            return vec![ANY.to_owned()];
        }
        let chosen = Name::ALL.iter().filter(|name| self.boxes.contains_key(&field_of(**name)));
        chosen.map(|name| name.text().to_owned()).collect()
    }
}

impl WebhookFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.url.wrong("url", lang.webhook_url()),
            self.description.wrong("description", lang.webhook_description()),
            self.events_field.wrong("events", lang.webhook_events()),
        ];
        fields.into_iter().flatten().collect()
    }
}

fn field_of(name: Name) -> String {
    format!("{BOX}{}", name.text())
}

#[cfg(test)]
mod tests {
    use super::WebhookForm;
    use crate::platform::http::patch::Patch;

    fn form(fields: &str) -> WebhookForm {
        serde_urlencoded::from_str(fields).expect("is a form")
    }

    #[test]
    fn only_what_was_changed_is_sent() {
        let drawn = form("url=https://a.example/?k=1&events.product.created=true&description=a");
        let typed = form("url=https://a.example/?k=1&everyEvent=true");
        let changes = typed.changes(&drawn).expect("is right");
        assert!(changes.url.is_none());
        assert_eq!(changes.events.sent(), Some(vec!["*".to_owned()]));
        assert_eq!(changes.description, Patch::Clear);
        let same = drawn.changes(&drawn).expect("is right");
        assert!(same.url.is_none() && same.events.is_none());
        assert_eq!(same.description, Patch::Keep);
    }

    #[test]
    fn the_events_are_the_boxes_that_are_ticked() {
        let typed = form("events.product.created=true&events.no.such=true&url= https://a.example ");
        let body = typed.body().expect("is right");
        assert_eq!((&*body.url, &*body.events[0]), ("https://a.example", "product.created"));
        assert_eq!(body.events.len(), 1);
        assert_eq!(WebhookForm::fresh().body().expect("is right").events, ["*"]);
    }
}
