//! The passwords that are guessed first.
//!
//! A crate of its own, so that the search through their list is optimised in every build: it is a
//! text of a megabyte.

use passwords::analyzer::is_common_password;

/// Whether a password is among the commonest, whatever its case.
pub fn is_common(password: &str) -> bool {
    let lower = password.to_lowercase();
    is_common_password(&*lower) || (lower != password && is_common_password(password))
}

#[cfg(test)]
mod tests {
    use super::is_common;

    #[test]
    fn a_common_password_is_found_in_any_case() {
        assert!(is_common("password1") && is_common("PassWord1"));
        assert!(!is_common("a sentence that only its author knows"));
    }
}
