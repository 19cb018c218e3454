//! The transitions of a status, as a test reads them.

/// Each value with those that it may become.
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
