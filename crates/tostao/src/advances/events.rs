//! The events of advances.

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::advances::view::AdvanceView;
use crate::events::Payload;
use crate::events::names::Name;

/// The data of events about an advance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "AdvanceEventData")]
pub struct AdvanceChanged {
    #[serde(skip)]
    pub name: Name,
    pub advance: Box<AdvanceView>,
}

impl Payload for AdvanceChanged {
    fn name(&self) -> Name {
        self.name
    }

    fn object(&self) -> Uuid {
        self.advance.id.0
    }
}
