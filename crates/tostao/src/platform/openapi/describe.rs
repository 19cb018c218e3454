//! Derives an operation's description from its handler's types.

use std::future::Future;

use crate::platform::error::Error;
use crate::platform::openapi::operation::Operation;

/// An extractor that can describe what it takes from a request.
pub trait Describe {
    /// Adds it to an operation.
    fn describe(operation: &mut Operation);
}

/// A reply that can describe itself.
pub trait DescribeReply {
    /// Adds it to an operation.
    fn describe_reply(operation: &mut Operation);
}

/// A handler all of whose types can be described; `Marker` only distinguishes the arities.
pub trait Described<Marker> {
    /// Adds everything to an operation.
    fn describe_handler(operation: &mut Operation);
}

impl<T: DescribeReply> DescribeReply for Result<T, Error> {
    fn describe_reply(operation: &mut Operation) {
        T::describe_reply(operation);
    }
}

/// The handler itself responds to an extraction that fails.
impl<T: Describe> Describe for Result<T, Error> {
    fn describe(operation: &mut Operation) {
        T::describe(operation);
    }
}

impl<S> Describe for axum::extract::State<S> {
    fn describe(_: &mut Operation) {}
}

/// One implementation per number of extractors.
macro_rules! described {
    ($($taken:ident),*) => {
        impl<F, R, Out, $($taken),*> Described<($($taken,)* R,)> for F
        where
            F: Fn($($taken),*) -> R,
            R: Future<Output = Out>,
            Out: DescribeReply,
            $($taken: Describe,)*
        {
            fn describe_handler(operation: &mut Operation) {
                $($taken::describe(operation);)*
                Out::describe_reply(operation);
            }
        }
    };
}

described!();
described!(A);
described!(A, B);
described!(A, B, C);
described!(A, B, C, D);
described!(A, B, C, D, E);
described!(A, B, C, D, E, G);
described!(A, B, C, D, E, G, H);
