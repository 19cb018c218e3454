//! A field of a PATCH: absent leaves it, `null` clears it, a value sets it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use crate::error::Fault;

/// What a PATCH says about one field that may be cleared.
///
/// Give the field `#[serde(default)]`, so that its absence is `Keep`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Patch<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl<T> Patch<T> {
    /// The field's value after the PATCH.
    pub fn apply(self, present: Option<T>) -> Option<T> {
        match self {
            Self::Keep => present,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    /// The new value, if one was sent.
    pub fn set(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }

    /// Reads the field by a rule, which may find that what was sent is as good as nothing.
    ///
    /// `None` leaves the field as it is.
    pub fn read<U>(
        &self,
        rule: impl FnOnce(&T) -> Result<Option<U>, Fault>,
    ) -> Option<Result<Option<U>, Fault>> {
        match self {
            Self::Keep => None,
            Self::Clear => Some(Ok(None)),
            Self::Set(value) => Some(rule(value)),
        }
    }
}

/// What a body that makes something says: there is nothing yet to clear.
impl<T> From<Option<T>> for Patch<T> {
    fn from(sent: Option<T>) -> Self {
        sent.map_or(Self::Keep, Self::Set)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::<T>::deserialize(deserializer)?;
        Ok(value.map_or(Self::Clear, Self::Set))
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}
