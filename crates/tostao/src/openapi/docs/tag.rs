//! The page of a tag.

use askama::Template;

use crate::guides::{PATH, SOURCE};
use crate::openapi::docs::reference::{Reference, Tag};
use crate::openapi::errors::OF_ALL;
use crate::platform::assets;

/// The page.
#[derive(Template)]
#[template(path = "docs/tag.html")]
pub struct TagPage<'a> {
    pub reference: &'a Reference,
    pub tag: &'a Tag,
}
