//! Access tokens: short-lived, signed, pinned to one algorithm. Refresh tokens: opaque, single-use.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::time::Timestamp;
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{MerchantId, PersonId, SessionId};
use crate::platform::role::Role;
use crate::platform::secrets::{Secrets, sha256};

/// The lifetime of an access token, in seconds.
pub const ACCESS_SECONDS: i64 = 15 * 60;
const ISSUER: &str = "tostao";
/// The audience, so that a token issued for another service is not accepted here.
const AUDIENCE: &str = "tostao-api";
/// The kind of token, as RFC 9068 names it.
const KIND: &str = "at+jwt";
/// How far the clocks of servers that share a database may differ, in seconds.
const SKEW_SECONDS: i64 = 60;

/// The claims of an access token.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Claims {
    pub iss: String,
    pub aud: String,
    pub sub: MerchantId,
    pub role: Role,
    /// The person, which tokens of earlier versions do not name: theirs is the account's owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<PersonId>,
    /// The session, which may be ended before the token expires.
    pub sid: SessionId,
    pub jti: Uuid,
    pub iat: i64,
    /// When it becomes valid.
    pub nbf: i64,
    pub exp: i64,
}

/// Whom an access token is for.
#[derive(Debug, Clone, Copy)]
pub struct TokenHolder {
    pub merchant: MerchantId,
    /// The account's.
    pub role: Role,
    pub person: PersonId,
    pub session: SessionId,
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
pub fn issue(secrets: &Secrets, holder: TokenHolder, jti: Uuid, now: Timestamp) -> Result<String> {
    let (iat, exp) = (now.seconds(), now.seconds() + ACCESS_SECONDS);
    let (iss, aud) = (ISSUER.into(), AUDIENCE.into());
    let TokenHolder { merchant: sub, role, person, session: sid } = holder;
    let claims = Claims { iss, aud, sub, role, per: Some(person), sid, jti, iat, nbf: iat, exp };
    let key = secrets.access_token();
    let (typ, kid) = (Some(KIND.to_owned()), Some(key.id.clone()));
    let header = Header { typ, kid, ..Header::new(Algorithm::HS256) };
    let signed = encode(&header, &claims, &EncodingKey::from_secret(&key.bytes));
    signed.map_err(|error| Error::Internal(error.into()))
}

/// Validates an access token: signature, issuer, audience, not before and expiry.
pub fn verify(secrets: &Secrets, token: &str, now: Timestamp) -> Result<Claims> {
    let refused = || Error::Unauthenticated(ErrorCode::Unauthorized);
    let header = decode_header(token).map_err(|_| refused())?;
    if header.typ.as_deref() != Some(KIND) {
        return Err(refused());
    }
    let id = header.kid.unwrap_or_default();
    let key = secrets.access_token_named(&id).ok_or_else(refused)?;
    let mut rules = Validation::new(Algorithm::HS256);
    rules.set_issuer(&[ISSUER]);
    rules.set_audience(&[AUDIENCE]);
    rules.set_required_spec_claims(&["aud", "exp", "iss", "nbf", "sub"]);
    // The library uses the system clock; ours can be set by a test.
    rules.validate_exp = false;
    rules.validate_nbf = false;
    let key = DecodingKey::from_secret(&key.bytes);
    let claims = decode::<Claims>(token, &key, &rules).map_err(|_| refused())?.claims;
    if claims.nbf > now.seconds() + SKEW_SECONDS {
        return Err(refused());
    }
    if claims.exp <= now.seconds() {
        return Err(Error::Unauthenticated(ErrorCode::TokenExpired));
    }
    Ok(claims)
}

impl RefreshToken {
    /// The next token of a session.
    pub fn new(session: SessionId, secret: [u8; 32]) -> Self {
        Self { session, secret }
    }

    /// Parses a token; `None` if it cannot be one.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (session, secret) = bytes.split_at_checked(16)?;
        let session = SessionId(Uuid::from_slice(session).ok()?);
        Some(Self { session, secret: secret.try_into().ok()? })
    }

    /// The token, to be shown once.
    pub fn expose(&self) -> String {
        URL_SAFE_NO_PAD.encode([&self.session.0.as_bytes()[..], &self.secret].concat())
    }

    /// The stored hash.
    pub fn hash(&self) -> [u8; 32] {
        sha256(&self.secret)
    }
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;
    use jsonwebtoken::{Algorithm, EncodingKey, Header, decode_header, encode};
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::{
        ACCESS_SECONDS, ISSUER, KIND, RefreshToken, SKEW_SECONDS, TokenHolder, issue, verify,
    };
    use crate::platform::error::ErrorCode;
    use crate::platform::ids::{MerchantId, PersonId, SessionId};
    use crate::platform::role::Role;
    use crate::platform::secrets::Secrets;

    fn holder() -> TokenHolder {
        TokenHolder {
            merchant: MerchantId(Uuid::nil()),
            role: Role::Merchant,
            person: PersonId(Uuid::nil()),
            session: SessionId(Uuid::nil()),
        }
    }

    #[test]
    fn an_access_token_is_good_for_a_quarter_of_an_hour_and_for_its_signer_alone() {
        let (ours, other) = (Secrets::derive("ours"), Secrets::derive("other"));
        let who = holder();
        let now = Timestamp::from_micros(1_795_291_200_000_000);
        let token = issue(&ours, who, Uuid::nil(), now).expect("signs");
        let at = |seconds: i64| Timestamp::from_micros(now.micros() + seconds * 1_000_000);
        assert!(verify(&ours, &token, at(ACCESS_SECONDS - 1)).is_ok());
        let late = verify(&ours, &token, at(ACCESS_SECONDS)).expect_err("has expired");
        assert_eq!(late.code(), ErrorCode::TokenExpired);
        let forged = verify(&other, &token, now).expect_err("is not ours");
        assert_eq!(forged.code(), ErrorCode::Unauthorized);
        let unsigned = format!("eyJhbGciOiJub25lIn0.{}.", token.split('.').nth(1).expect("claims"));
        assert!(verify(&ours, &unsigned, now).is_err());
    }

    #[test]
    fn an_access_token_of_the_secret_before_is_read_and_names_its_key() {
        let (old, new) = ("before", "in force");
        let who = holder();
        let now = Timestamp::from_micros(1_795_291_200_000_000);
        let token = issue(&Secrets::derive(old), who, Uuid::nil(), now).expect("signs");
        assert!(verify(&Secrets::derive(new).after(old), &token, now).is_ok());
        assert!(verify(&Secrets::derive(new), &token, now).is_err());
        let id = decode_header(&token).expect("reads").kid;
        assert_eq!(id.as_ref(), Some(&Secrets::derive(old).access_token().id));
    }

    #[test]
    fn a_token_of_another_kind_for_another_recipient_or_from_the_future_is_refused() {
        let secrets = Secrets::derive("ours");
        let now = Timestamp::from_micros(1_795_291_200_000_000);
        let at = now.seconds();
        let good = (KIND, json!("tostao-api"), at);
        let table = [
            (good.clone(), true),
            (("JWT", good.1.clone(), at), false),
            ((KIND, json!("another"), at), false),
            ((KIND, Value::Null, at), false),
            ((KIND, good.1.clone(), at + SKEW_SECONDS), true),
            ((KIND, good.1.clone(), at + SKEW_SECONDS + 1), false),
        ];
        for ((kind, audience, from), accepted) in table {
            let mut claims = json!({
                "iss": ISSUER, "sub": Uuid::nil(), "role": Role::Merchant, "sid": Uuid::nil(),
                "jti": Uuid::nil(), "iat": at, "nbf": from, "exp": at + ACCESS_SECONDS,
            });
            if !audience.is_null() {
                claims["aud"] = audience;
            }
            let key = secrets.access_token();
            let (typ, kid) = (Some(kind.to_owned()), Some(key.id.clone()));
            let header = Header { typ, kid, ..Header::new(Algorithm::HS256) };
            let token = encode(&header, &claims, &EncodingKey::from_secret(&key.bytes));
            let verified = verify(&secrets, &token.expect("signs"), now);
            assert_eq!(verified.is_ok(), accepted, "{kind} {claims}");
        }
    }

    #[test]
    fn a_refresh_token_reads_back() {
        let token = RefreshToken::new(SessionId(Uuid::max()), [9; 32]);
        let read = RefreshToken::parse(&token.expose()).expect("reads");
        assert_eq!((read.session, read.hash()), (token.session, token.hash()));
        assert!(RefreshToken::parse("short").is_none());
    }
}
