//! A field of a PATCH: absent leaves it, `null` clears it, a value sets it.
//!
//! A field that is never empty cannot be cleared: there `null` is refused.

use std::borrow::Cow;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::platform::error::FieldFault;

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

    /// Validates the field with a rule, which may turn what was sent into an empty value.
    ///
    /// `None` leaves the field unchanged.
    pub fn read<U>(
        &self,
        rule: impl FnOnce(&T) -> Result<Option<U>, FieldFault>,
    ) -> Option<Result<Option<U>, FieldFault>> {
        match self {
            Self::Keep => None,
            Self::Clear => Some(Ok(None)),
            Self::Set(value) => Some(rule(value)),
        }
    }
}

/// What a PATCH says about one field that is never empty.
///
/// Give the field `#[serde(default)]`, so that its absence leaves it unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Omittable<T>(Option<T>);

impl<T> Omittable<T> {
    /// The new value, if one was sent.
    pub fn sent(self) -> Option<T> {
        self.0
    }
}

impl<T> Default for Omittable<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for Omittable<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        &self.0
    }
}

/// In a body that creates an object, `null` means the same as absence.
impl<T> From<Option<T>> for Omittable<T> {
    fn from(sent: Option<T>) -> Self {
        Self(sent)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Omittable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::<T>::deserialize(deserializer)?;
        let empty = || D::Error::custom("must not be null; omit it to keep the value");
        value.ok_or_else(empty).map(|value| Self(Some(value)))
    }
}

impl<T: JsonSchema> JsonSchema for Omittable<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// In a body that creates an object, there is nothing to clear.
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
