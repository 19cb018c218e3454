//! Access tokens: short, signed, pinned to one algorithm; refresh tokens: opaque, used once.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::time::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{Error, Refusal, Result};
use crate::ids::{MerchantId, SessionId};
use crate::merchants::Role;
use crate::secrets::{Secrets, sha256};

/// How long an access token is good, in seconds.
pub const ACCESS_SECONDS: i64 = 15 * 60;
const ISSUER: &str = "tostao";
const KEY_ID: &str = "1";

/// What an access token says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Claims {
    pub iss: String,
    pub sub: MerchantId,
    pub role: Role,
    /// The session, which may be ended before the token expires.
    pub sid: SessionId,
    pub jti: Uuid,
    pub iat: i64,
    pub exp: i64,
}

/// A refresh token: its session, and a secret that changes with every use.
pub struct RefreshToken {
    pub session: SessionId,
    secret: [u8; 32],
}

impl std::fmt::Debug for RefreshToken {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "RefreshToken({}…)", self.session)
    }
}

/// Signs an access token.
pub fn issue(
    secrets: &Secrets,
    (sub, role, sid): (MerchantId, Role, SessionId),
    jti: Uuid,
    now: Timestamp,
) -> Result<String> {
    let (iat, exp) = (now.seconds(), now.seconds() + ACCESS_SECONDS);
    let claims = Claims { iss: ISSUER.into(), sub, role, sid, jti, iat, exp };
    let header = Header { kid: Some(KEY_ID.into()), ..Header::new(Algorithm::HS256) };
    let key = EncodingKey::from_secret(secrets.access_token());
    encode(&header, &claims, &key).map_err(|error| Error::Internal(error.into()))
}

/// Reads an access token that is whole, ours and not expired.
pub fn read(secrets: &Secrets, token: &str, now: Timestamp) -> Result<Claims> {
    let mut rules = Validation::new(Algorithm::HS256);
    rules.set_issuer(&[ISSUER]);
    rules.set_required_spec_claims(&["exp", "iss", "sub"]);
    // The library asks the machine's clock; ours is the one that a test can set.
    rules.validate_exp = false;
    let key = DecodingKey::from_secret(secrets.access_token());
    let refused = |_| Error::Unauthenticated(Refusal::Unauthorized);
    let claims = decode::<Claims>(token, &key, &rules).map_err(refused)?.claims;
    if claims.exp <= now.seconds() {
        return Err(Error::Unauthenticated(Refusal::TokenExpired));
    }
    Ok(claims)
}

impl RefreshToken {
    /// Makes the next token of a session.
    pub fn new(session: SessionId, secret: [u8; 32]) -> Self {
        Self { session, secret }
    }

    /// Reads a token; `None` if it cannot be one.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (session, secret) = bytes.split_at_checked(16)?;
        let session = SessionId(Uuid::from_slice(session).ok()?);
        Some(Self { session, secret: secret.try_into().ok()? })
    }

    /// The token, to be given once.
    pub fn expose(&self) -> String {
        URL_SAFE_NO_PAD.encode([&self.session.0.as_bytes()[..], &self.secret].concat())
    }

    /// What is stored.
    pub fn hash(&self) -> [u8; 32] {
        sha256(&self.secret)
    }
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;
    use uuid::Uuid;

    use super::{ACCESS_SECONDS, RefreshToken, issue, read};
    use crate::error::Refusal;
    use crate::ids::{MerchantId, SessionId};
    use crate::merchants::Role;
    use crate::secrets::Secrets;

    #[test]
    fn an_access_token_is_good_for_a_quarter_of_an_hour_and_for_its_signer_alone() {
        let (ours, other) = (Secrets::derive("ours"), Secrets::derive("other"));
        let who = (MerchantId(Uuid::nil()), Role::Merchant, SessionId(Uuid::nil()));
        let now = Timestamp::from_micros(1_795_291_200_000_000);
        let token = issue(&ours, who, Uuid::nil(), now).expect("signs");
        let at = |seconds: i64| Timestamp::from_micros(now.micros() + seconds * 1_000_000);
        assert!(read(&ours, &token, at(ACCESS_SECONDS - 1)).is_ok());
        let late = read(&ours, &token, at(ACCESS_SECONDS)).expect_err("has expired");
        assert_eq!(late.refusal(), Refusal::TokenExpired);
        let forged = read(&other, &token, now).expect_err("is not ours");
        assert_eq!(forged.refusal(), Refusal::Unauthorized);
        let unsigned = format!("eyJhbGciOiJub25lIn0.{}.", token.split('.').nth(1).expect("claims"));
        assert!(read(&ours, &unsigned, now).is_err());
    }

    #[test]
    fn a_refresh_token_reads_back() {
        let token = RefreshToken::new(SessionId(Uuid::max()), [9; 32]);
        let read = RefreshToken::parse(&token.expose()).expect("reads");
        assert_eq!((read.session, read.hash()), (token.session, token.hash()));
        assert!(RefreshToken::parse("short").is_none());
    }
}
