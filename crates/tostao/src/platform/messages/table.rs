//! Turns a table of messages into methods.

/// Turns `name => "português", "English";` into a method of [`Lang`].
macro_rules! messages {
    ($list:ident: $($name:ident $(($($arg:ident),+))? => $pt:literal, $en:literal;)+) => {
        impl Lang {
            $(messages!(@method $name ($($($arg),+)?) $pt, $en);)+
        }

        /// Name, Portuguese and English of every message, for the tests.
        #[cfg(test)]
        pub(super) const $list: &[(&str, &str, &str)] = &[$((stringify!($name), $pt, $en)),+];
    };
    (@method $name:ident () $pt:literal, $en:literal) => {
        #[doc = $en]
        pub fn $name(self) -> &'static str {
            match self {
                Self::PtBr => $pt,
                Self::En => $en,
            }
        }
    };
    (@method $name:ident ($($arg:ident),+) $pt:literal, $en:literal) => {
        #[doc = $en]
        pub fn $name(self, $($arg: impl std::fmt::Display),+) -> String {
            match self {
                Self::PtBr => format!($pt),
                Self::En => format!($en),
            }
        }
    };
}
