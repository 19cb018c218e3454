//! Enumerations that are texts in the API and in the database.

/// Declares an enumeration whose values have texts: `ALL`, `name`, `parse`, `Display`, and
/// their columns.
///
/// One with the name of a schema is a value of the API as well.
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

        text_enum!(@texts $type { $($value = $text,)* });
    };
    ($(#[$about:meta])* $seen:vis enum $type:ident {
        $($(#[$meaning:meta])* $value:ident = $text:literal,)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $seen enum $type {
            $($(#[$meaning])* $value,)*
        }

        text_enum!(@texts $type { $($value = $text,)* });
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

        impl db::value::ToArg for $type {
            fn to_arg(&self) -> db::value::Arg<'_> {
                db::value::Arg::Text(self.name())
            }
        }

        impl db::value::FromValue for $type {
            fn from_value(value: db::value::Value) -> Option<Self> {
                Self::parse(&<String as db::value::FromValue>::from_value(value)?)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}

pub(crate) use text_enum;

/// Each value with those that it may become, as a test reads them.
#[cfg(test)]
pub fn transitions<T: Copy + std::fmt::Display>(
    all: &[T],
    may_become: impl Fn(T, T) -> bool,
) -> Vec<String> {
    let row = |from: &T| {
        let next = all.iter().filter(|next| may_become(*from, **next)).map(T::to_string);
        format!("{from}: {}", next.collect::<Vec<_>>().join(" "))
    };
    all.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use db::value::{FromValue, Value};

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
