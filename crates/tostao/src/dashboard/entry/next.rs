//! Where a person goes once they are signed in.

use crate::auth::seat::{ACCOUNT, ADMIN, DASHBOARD};

/// The areas that one can be signed in for.
const OWN: [&str; 3] = [DASHBOARD, ACCOUNT, ADMIN];
/// An address with a form that was kept is long.
const LENGTH_MAX: usize = 4_000;

/// The page that was wanted, if it is one of ours; the dashboard's first page otherwise.
///
/// Another site could send people through the sign-in to a copy of it.
pub fn wanted(next: &str) -> &str {
    let mut rests = OWN.into_iter().filter_map(|own| next.strip_prefix(own));
    let is_own = rests.any(|rest| rest.starts_with('/')) || next == DASHBOARD;
    let is_plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    // Browsers read `%2e` as a dot, and none of our paths needs such a sign.
    let path = next.split('?').next().unwrap_or_default();
    let stays = !next.contains("//") && !next.contains("..") && !path.contains('%');
    if is_own && is_plain && stays && next.len() <= LENGTH_MAX { next } else { DASHBOARD }
}

#[cfg(test)]
mod tests {
    use super::wanted;

    #[test]
    fn only_a_page_of_ours_is_opened_after_signing_in() {
        for own in [
            "/dashboard/dev",
            "/dashboard/prod/x?q=a%20b&page=2",
            "/account/team",
            "/admin/prod/accounts",
        ] {
            assert_eq!(wanted(own), own);
        }
        let foreign = [
            "",
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "/dashboard//evil.example",
            "/dashboard/../pay/x",
            "/dashboard/%2e%2e/pay/x",
            "/dashboard/.%2E/pay/x",
            "/dashboard.evil.example",
            "/dashboard/\r\nSet-Cookie: a=b",
            "/pay/x",
            "/sign-out",
            "javascript:alert(1)",
        ];
        for next in foreign {
            assert_eq!(wanted(next), "/dashboard", "{next}");
        }
        assert_eq!(wanted(&format!("/dashboard/{}", "a".repeat(8_000))), "/dashboard");
    }
}
