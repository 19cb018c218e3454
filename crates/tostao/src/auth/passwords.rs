//! Passwords: Argon2id, queued fairly by address.

use std::net::IpAddr;

use anyhow::anyhow;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use common_passwords::is_common;

use crate::auth::hashing_queue::HashingQueue;
use crate::platform::config::PasswordCost;
use crate::platform::error::{Error, FieldFault, Result};

const LANES: u32 = 1;

/// Refuses a password that is too short, too long, or among the first to be guessed.
pub fn check(password: &str) -> Result<(), FieldFault> {
    if !(8..=128).contains(&password.chars().count()) {
        return Err(FieldFault::new("INVALID_LENGTH", "must have 8 to 128 characters"));
    }
    let bare = password.trim();
    if bare.is_empty() {
        return Err(FieldFault::new("BLANK_PASSWORD", "must not consist of spaces only"));
    }
    if is_common(bare) {
        return Err(FieldFault::new("COMMON_PASSWORD", "must not be a common password"));
    }
    Ok(())
}

/// Hashes and verifies passwords, a few at once.
#[derive(Debug, Default)]
pub struct Passwords {
    cost: PasswordCost,
    turns: HashingQueue,
}

impl Passwords {
    /// Hashes new passwords at this cost.
    pub fn new(cost: PasswordCost) -> Self {
        Self { cost, turns: HashingQueue::default() }
    }

    /// Hashes a password that an address sent, with a random salt.
    pub async fn hash(&self, address: IpAddr, password: String, salt: [u8; 16]) -> Result<String> {
        let cost = self.cost;
        let work = move || {
            let PasswordCost { memory_kib, passes } = cost;
            let params = Params::new(memory_kib, passes, LANES, None);
            let params = params.map_err(|error| anyhow!("cannot hash: {error}"))?;
            let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
            let hash = argon2.hash_password_with_salt(password.as_bytes(), &salt);
            hash.map(|hash| hash.to_string()).map_err(|error| anyhow!("cannot hash: {error}"))
        };
        self.in_turn(address, work).await
    }

    /// Verifies a password that an address sent; without a hash it does the same work and returns
    /// false.
    pub async fn verify(
        &self,
        address: IpAddr,
        password: String,
        hash: Option<String>,
    ) -> Result<bool> {
        let cost = self.cost;
        let work = move || {
            let known = hash.is_some();
            let text = hash.unwrap_or_else(|| dummy_hash(cost));
            let parsed = PasswordHash::new(&text).map_err(|error| anyhow!("bad hash: {error}"))?;
            Ok(Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && known)
        };
        self.in_turn(address, work).await
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        address: IpAddr,
        work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> Result<T> {
        let crowded = || Error::TooMany { retry_after_seconds: 1, limit: None };
        let turn = self.turns.acquire(address).await.ok_or_else(crowded)?;
        // The work holds the permit, so that it counts until it ends, even if its caller has gone.
        let work = move || {
            let _held = turn;
            work()
        };
        let done = tokio::task::spawn_blocking(work).await;
        Ok(done.map_err(|error| Error::Internal(error.into()))??)
    }
}

/// Verified in place of the hash of an account that does not exist, so that both take equally long.
fn dummy_hash(PasswordCost { memory_kib, passes }: PasswordCost) -> String {
    format!(
        "$argon2id$v=19$m={memory_kib},t={passes},p={LANES}$c29tZXNhbHRzb21lc2FsdA$\
         nYdWGIGLRVCaGsbiOCZcVJ9YvzNmjnGhUZzRAZBJ8pU"
    )
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::Passwords;

    #[tokio::test]
    async fn only_the_right_password_of_a_known_account_is_good() {
        let passwords = Passwords::default();
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let stored = passwords.hash(address, "correct horse".into(), [1; 16]).await;
        let stored = stored.expect("hashes");
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        let verify = async |password: &str, hash| {
            passwords.verify(address, password.into(), hash).await.expect("verifies")
        };
        assert!(verify("correct horse", Some(stored.clone())).await);
        assert!(!verify("wrong", Some(stored)).await);
        assert!(!verify("correct horse", None).await, "does the same work");
    }
}
