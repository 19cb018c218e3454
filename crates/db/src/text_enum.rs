//! Enumerations that are texts in the API and in the database.

/// Declares an enumeration whose values have texts: `ALL`, `name`, `parse`, `Display`, and
/// their columns.
///
/// One with the name of a schema is a value of the API as well.
#[macro_export]
macro_rules! text_enum {
    ($(#[$about:meta])* $seen:vis enum $type:ident as $schema:literal {
        $($(#[$meaning:meta])* $value:ident = $text:literal,)*
    }) => {
        $(#[$about])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[schemars(rename = $schema)]
        $seen enum $type {
            $($(#[$meaning])* #[serde(rename = $text)] $value,)*
        }

        $crate::text_enum!(@texts $type { $($value = $text,)* });
    };
    ($(#[$about:meta])* $seen:vis enum $type:ident {
        $($(#[$meaning:meta])* $value:ident = $text:literal,)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $seen enum $type {
            $($(#[$meaning])* $value,)*
        }

        $crate::text_enum!(@texts $type { $($value = $text,)* });
    };
    (@texts $type:ident { $($value:ident = $text:literal,)* }) => {
        impl $type {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// The text of a value.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)*
                }
            }

            /// Finds the value of a text.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$value),)*
                    _ => None,
                }
            }
        }

        impl $crate::value::ToArg for $type {
            fn to_arg(&self) -> $crate::value::Arg<'_> {
                $crate::value::Arg::Text(self.name())
            }
        }

        impl $crate::value::FromValue for $type {
            fn from_value(value: $crate::value::Value) -> Option<Self> {
                Self::parse(&<String as $crate::value::FromValue>::from_value(value)?)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::value::{FromValue, Value};

    text_enum! {
        enum Shade as "Shade" {
            Light = "LIGHT",
            NearlyDark = "almost-dark",
        }
    }

    #[test]
    fn a_value_has_one_text_everywhere() {
        for (shade, text) in Shade::ALL.iter().zip(["LIGHT", "almost-dark"]) {
            let stored = Value::Text(text.into());
            assert_eq!((shade.name(), &*shade.to_string()), (text, text));
            assert_eq!(serde_json::to_value(shade).expect("is JSON"), text);
            assert_eq!(serde_json::from_value(text.into()).ok(), Some(*shade));
            assert_eq!(
                (Shade::parse(text), Shade::from_value(stored)),
                (Some(*shade), Some(*shade))
            );
        }
        assert_eq!(
            (Shade::parse("DARK"), Shade::from_value(Value::Text("DARK".into()))),
            (None, None)
        );
    }
}
