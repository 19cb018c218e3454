//! Settings that work, but that an operator hardly wants in production.

use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt;

use clap::{Arg, Args};
use url::{Host, Url};

use crate::platform::config::{ADMIN_PASSWORD, Settings, Switch};

/// A secret with fewer different characters was probably typed, not generated.
const CHARACTERS_MIN: usize = 8;
/// Permission bits of users outside the owner and the group.
const OTHERS: u32 = 0o007;
/// What the client commands read; a developer has them beside a server's settings.
const CLIENT_VARIABLES: [&str; 3] = ["TOSTAO_SERVER", "TOSTAO_API_KEY", "TOSTAO_WEBHOOK_SECRET"];
/// The prefix of all settings.
const PREFIX: &str = "TOSTAO_";

impl Settings {
    /// Settings that an operator hardly wants; each is a sentence without its full stop.
    pub fn warnings(&self) -> Vec<String> {
        let addresses = [("BASE", self.base_url()), ("CHECKOUT", self.checkout_url())];
        let addresses = addresses.iter().filter_map(|(name, address)| of_address(name, address));
        let own = self.of_switches().into_iter().chain(self.of_secret()).chain(self.of_reward());
        addresses.chain(own).chain(of_environment()).collect()
    }

    fn of_switches(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.rate_limits == Switch::Off {
            found.push(
                "TOSTAO_RATE_LIMITS is off: passwords can be guessed and the server can be \
                 overloaded"
                    .to_owned(),
            );
        }
        if self.allow_local_webhooks {
            found.push(
                "TOSTAO_ALLOW_LOCAL_WEBHOOKS is on: merchants can make this server call addresses \
                 of its own network"
                    .to_owned(),
            );
        }
        if let Some(address) = self.metrics_listen.filter(|address| address.ip().is_unspecified()) {
            found.push(format!(
                "TOSTAO_METRICS_LISTEN is {address}: anyone who reaches this machine can read the \
                 metrics"
            ));
        }
        found
    }

    /// What is earned of an invited merchant's sale should not exceed its fee; a server without any
    /// fee hardly serves merchants who could gain by that.
    fn of_reward(&self) -> Option<String> {
        let fees = [
            ("TOSTAO_PIX_FEE_BASIS_POINTS", self.pix_fee_cents, self.pix_fee_basis_points),
            ("TOSTAO_BOLETO_FEE_BASIS_POINTS", self.boleto_fee_cents, self.boleto_fee_basis_points),
            ("TOSTAO_CARD_FEE_BASIS_POINTS", self.card_fee_cents, self.card_fee_basis_points),
        ];
        if fees.iter().all(|(_, fixed, share)| *fixed == 0 && *share == 0) {
            return None;
        }
        let reward = self.referral_basis_points;
        let lower = fees.iter().filter(|(_, _, share)| *share < reward);
        let lower: Vec<_> = lower.map(|(name, _, _)| *name).collect();
        (!lower.is_empty()).then(|| {
            format!(
                "TOSTAO_REFERRAL_BASIS_POINTS is {reward}, more than {}: merchants gain by selling \
                 to themselves through an account that they invited",
                lower.join(", ")
            )
        })
    }

    fn of_secret(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut weigh = |name: &str, secret: &str| {
            if is_weak(secret) {
                found.push(format!(
                    "{name} is easy to guess, and every key is derived from it; generate one, as \
                     with `openssl rand -hex 32`"
                ));
            }
        };
        if let Some(secret) = &self.secret_key {
            weigh("TOSTAO_SECRET_KEY", secret);
        }
        // The first start creates the file later.
        let Some(path) = self.secret_file() else { return found };
        let name = path.display().to_string();
        if let Ok(text) = std::fs::read_to_string(&path) {
            weigh(&format!("the secret in {name}"), text.trim());
        }
        let mode = std::fs::metadata(&path).map_or(0, |file| file.permissions().mode());
        if mode & OTHERS != 0 {
            let mode = mode & 0o777;
            found.push(format!(
                "{name} is readable by every user of this machine (mode {mode:o}), and every key \
                 is derived from its content; `chmod 600` it"
            ));
        }
        found
    }
}

/// Warns about unknown `TOSTAO_` variables, because a misspelled name sets nothing.
fn of_environment() -> Vec<String> {
    let settings = Settings::augment_args(clap::Command::default());
    let known: Vec<_> = settings.get_arguments().filter_map(Arg::get_env).collect();
    let given = std::env::vars_os().map(|(name, _)| name).filter(|name| {
        let ours = name.to_string_lossy().starts_with(PREFIX);
        let is_of_client = CLIENT_VARIABLES.iter().any(|known| name == *known);
        ours && name != ADMIN_PASSWORD && !is_of_client && !known.contains(&name.as_os_str())
    });
    let mut unknown: Vec<_> = given.map(|name| name.to_string_lossy().into_owned()).collect();
    unknown.sort_unstable();
    let warning = |name| format!("{name} is not a setting; `tostao config print` lists them all");
    unknown.into_iter().map(warning).collect()
}

fn of_address(name: &str, address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let ip = match url.host()? {
        Host::Ipv4(ip) => Some(IpAddr::V4(ip)),
        Host::Ipv6(ip) => Some(IpAddr::V6(ip)),
        Host::Domain(_) => None,
    };
    let stays_here = ip.map_or_else(|| is_localhost(&url), |ip| ip.is_loopback());
    if ip.is_some_and(|ip| ip.is_unspecified()) {
        Some(format!(
            "{address} is not reachable from other machines: set TOSTAO_{name}_URL to this \
             server's public address"
        ))
    } else if url.scheme() == "http" && !stays_here {
        Some(format!(
            "{address} is not encrypted: keys and payments can be read and changed in transit; \
             set TOSTAO_{name}_URL to an https address"
        ))
    } else {
        None
    }
}

fn is_localhost(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == "localhost" || host.ends_with(".localhost")
}

/// Whether a secret has few different characters, or repeats a shorter one.
fn is_weak(secret: &str) -> bool {
    let characters: Vec<char> = secret.chars().collect();
    let mut different = characters.clone();
    different.sort_unstable();
    different.dedup();
    let repeats = |length: usize| {
        characters.iter().zip(characters.iter().skip(length)).all(|(one, next)| one == next)
    };
    different.len() < CHARACTERS_MIN || (1..=characters.len() / 2).any(repeats)
}

#[cfg(test)]
mod tests {
    use super::is_weak;

    #[test]
    fn a_secret_that_was_typed_and_not_drawn_is_weak() {
        let table = [
            ("a".repeat(38), true),
            ("abcabcabd".repeat(5), true),
            ("0123456789abcdef".repeat(2), true),
            ("0123456789abcdef0123456789abcdef012".to_owned(), true),
            ("b1946ac92492d2347c6235b4d2611184f0a2c1d9".to_owned(), false),
            ("a secret for tests, longer than thirty-two characters".to_owned(), false),
        ];
        for (secret, weak) in table {
            assert_eq!(is_weak(&secret), weak, "{secret}");
        }
    }
}
