//! Passwords: Argon2id, at most as many at once as there are cores.

use anyhow::anyhow;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;

use crate::error::{Error, Result};

/// Each hash takes 19 MiB, so a flood of sign-ins must not run them all at once.
static AT_WORK: Semaphore = Semaphore::const_new(2);
const WAITING_MAX: usize = 32;
static PLACES: Semaphore = Semaphore::const_new(WAITING_MAX);

/// Verified in place of the hash of an account that does not exist, so that both take as long.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                      nYdWGIGLRVCaGsbiOCZcVJ9YvzNmjnGhUZzRAZBJ8pU";

/// Hashes a password with a random salt.
pub async fn hash(password: String, salt: [u8; 16]) -> Result<String> {
    in_turn(move || {
        let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), &salt);
        hash.map(|hash| hash.to_string()).map_err(|error| anyhow!("cannot hash: {error}"))
    })
    .await
}

/// Checks a password; without a hash it does the same work and says no.
pub async fn verify(password: String, hash: Option<String>) -> Result<bool> {
    in_turn(move || {
        let known = hash.is_some();
        let text = hash.unwrap_or_else(|| NOBODY.to_owned());
        let parsed = PasswordHash::new(&text).map_err(|error| anyhow!("bad hash: {error}"))?;
        Ok(Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && known)
    })
    .await
}

async fn in_turn<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> Result<T> {
    let crowded = |_| Error::TooMany { retry_after_seconds: 1, limit: None };
    let _place = PLACES.try_acquire().map_err(crowded)?;
    let _turn = AT_WORK.acquire().await.map_err(|error| Error::Internal(error.into()))?;
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(|error| Error::Internal(error.into()))??)
}

#[cfg(test)]
mod tests {
    use super::{hash, verify};

    #[tokio::test]
    async fn only_the_right_password_of_a_known_account_is_good() {
        let stored = hash("correct horse".into(), [1; 16]).await.expect("hashes");
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        let good = verify("correct horse".into(), Some(stored.clone())).await;
        assert!(good.expect("verifies"));
        assert!(!verify("wrong".into(), Some(stored)).await.expect("verifies"));
        assert!(!verify("correct horse".into(), None).await.expect("does the same work"));
    }
}
