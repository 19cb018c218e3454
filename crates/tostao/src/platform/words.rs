//! Enumerations that are texts in the API and in the database.

/// Gives an enumeration its values, each with its text: `ALL`, `name` and `parse`.
macro_rules! words {
    ($type:ident { $($value:ident = $text:literal,)* }) => {
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
    };
}

pub(crate) use words;
