//! The API reference: every operation by its tag, as plain values.

use serde_json::Value;

use crate::guides::PATH;
use crate::openapi::api::Route;
use crate::openapi::docs::fields::{FieldRow, Schemas};
use crate::openapi::docs::operation::Entry;
use crate::openapi::docs::texts::{anchor, word};

/// Everything that the pages are made of.
pub struct Reference {
    pub version: String,
    pub tags: Vec<Tag>,
    /// The body of every error.
    pub error: Vec<FieldRow>,
    /// The body of every delivery.
    pub event: Vec<FieldRow>,
}

/// The operations of one part of the API.
pub struct Tag {
    pub name: &'static str,
    pub anchor: String,
    pub operations: Vec<Entry>,
}

impl Reference {
    /// Lays out a document in the order of its routes.
    pub fn new(document: &Value, routes: &[Route]) -> Self {
        let schemas = Schemas::of(document);
        let mut tags: Vec<Tag> = Vec::new();
        for route in routes {
            if tags.last().is_none_or(|tag| tag.name != route.tag) {
                let (name, anchor) = (route.tag, anchor(route.tag));
                tags.push(Tag { name, anchor, operations: Vec::new() });
            }
            if let Some(tag) = tags.last_mut() {
                tag.operations.extend(Entry::of(document, route));
            }
        }
        Self {
            version: word(&document["info"]["version"]),
            tags,
            error: schemas.rows(&document["components"]["schemas"]["Error"]),
            event: schemas.rows(&document["components"]["schemas"]["WebhookEvent"]),
        }
    }
}

impl Tag {
    /// Where its page is.
    pub fn address(&self) -> String {
        address(self.name)
    }
}

/// Where the page of a tag is.
pub fn address(tag: &str) -> String {
    format!("{PATH}/api/{}", anchor(tag))
}
