//! The certificate and key that identify us to a service, from PEM text.

use std::fmt;
use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, digest};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::{self, PemObject, SectionKind};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{Error as TlsError, InconsistentKeys};
use thiserror::Error;
use x509_cert::Certificate;
use x509_cert::der::Decode;
use x509_cert::der::oid::ObjectIdentifier;

/// The header of a key that is encrypted in the form before PKCS#8.
const OLD_ENCRYPTION: &str = "Proc-Type: 4,ENCRYPTED";
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// A certificate chain with the key of its first certificate, and what people are shown of it.
pub struct Identity {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
    subject: String,
    fingerprint: String,
    not_after: i64,
}

/// Why a text is not an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IdentityError {
    #[error("The text has no certificate (`BEGIN CERTIFICATE`).")]
    NoCertificate,
    #[error("The text has no private key (`BEGIN PRIVATE KEY`).")]
    NoKey,
    #[error("The private key has a password, which is refused: export it without one.")]
    EncryptedKey,
    #[error("The text has several private keys, and only one can be used.")]
    SeveralKeys,
    #[error("The PEM text is damaged: a section has no end, or is not base64.")]
    Pem,
    #[error("A certificate in the text cannot be read.")]
    Certificate,
    #[error("The private key cannot be read, or is of an unsupported kind.")]
    Key,
    #[error("The private key does not belong to any certificate in the text.")]
    KeyMismatch,
}

impl Identity {
    /// Reads a certificate, its key and the certificates of its chain, in any order.
    ///
    /// Certificate and key in two files are one text, with a line break between them.
    pub fn from_pem(text: &str) -> Result<Self, IdentityError> {
        let (certificates, keys) = sections(text)?;
        if certificates.is_empty() {
            return Err(IdentityError::NoCertificate);
        }
        let mut keys = keys.into_iter();
        let key = match (keys.next(), keys.next()) {
            (Some(key), None) => key,
            (Some(_), Some(_)) => return Err(IdentityError::SeveralKeys),
            // The reader of PEM skips the kinds of section that it does not know.
            (None, _) if text.contains("BEGIN ENCRYPTED PRIVATE KEY") => {
                return Err(IdentityError::EncryptedKey);
            }
            (None, _) => return Err(IdentityError::NoKey),
        };
        Self::of(owner_first(certificates, &key)?, key)
    }

    fn of(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, IdentityError> {
        let own = chain.first().ok_or(IdentityError::NoCertificate)?;
        let parsed = Certificate::from_der(own).map_err(|_| IdentityError::Certificate)?;
        let ends = parsed.tbs_certificate.validity.not_after.to_unix_duration();
        let not_after = i64::try_from(ends.as_secs()).map_err(|_| IdentityError::Certificate)?;
        let (subject, fingerprint) = (common_name(&parsed), fingerprint(own));
        Ok(Self { chain, key, subject, fingerprint, not_after })
    }

    /// The common name of the certificate's owner, or all of their name if they have none.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The SHA-256 of the certificate, in hexadecimal digits.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// When the certificate expires, in seconds since 1970.
    pub fn not_after(&self) -> i64 {
        self.not_after
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self {
            chain: self.chain.clone(),
            key: self.key.clone_key(),
            subject: self.subject.clone(),
            fingerprint: self.fingerprint.clone(),
            not_after: self.not_after,
        }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Identity")
            .field("subject", &self.subject)
            .field("fingerprint", &self.fingerprint)
            .field("not_after", &self.not_after)
            .finish_non_exhaustive()
    }
}

type Sections = (Vec<CertificateDer<'static>>, Vec<PrivateKeyDer<'static>>);

fn sections(text: &str) -> Result<Sections, IdentityError> {
    let (mut certificates, mut keys) = (Vec::new(), Vec::new());
    for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(text.as_bytes()) {
        // The library's own error may quote the line, and the line may be of the key.
        let (kind, der) = section.map_err(|_: pem::Error| damage(text))?;
        if kind == SectionKind::Certificate {
            certificates.push(CertificateDer::from(der));
        } else if let Some(key) = PrivateKeyDer::from_pem(kind, der) {
            keys.push(key);
        }
    }
    Ok((certificates, keys))
}

/// What is wrong with a text whose PEM cannot be read.
fn damage(text: &str) -> IdentityError {
    // The old form says above its base64 that it is encrypted, which the reader takes for damage.
    if text.contains(OLD_ENCRYPTION) { IdentityError::EncryptedKey } else { IdentityError::Pem }
}

/// Moves the certificate that the key belongs to to the front, where TLS requires it.
///
/// Exports from PKCS#12 list the authority's certificate first or last, as their tool likes.
fn owner_first(
    mut certificates: Vec<CertificateDer<'static>>,
    key: &PrivateKeyDer<'static>,
) -> Result<Vec<CertificateDer<'static>>, IdentityError> {
    let provider = default_provider();
    let key = provider.key_provider.load_private_key(key.clone_key());
    let key = key.map_err(|_| IdentityError::Key)?;
    for index in 0..certificates.len() {
        let pair = CertifiedKey::new(vec![certificates[index].clone()], key.clone());
        match pair.keys_match() {
            Ok(()) => {
                let own = certificates.remove(index);
                certificates.insert(0, own);
                return Ok(certificates);
            }
            Err(TlsError::InconsistentKeys(InconsistentKeys::KeyMismatch)) => {}
            Err(_) => return Err(IdentityError::Certificate),
        }
    }
    Err(IdentityError::KeyMismatch)
}

fn common_name(certificate: &Certificate) -> String {
    let subject = &certificate.tbs_certificate.subject;
    let mut parts = subject.0.iter().flat_map(|part| part.0.iter());
    match parts.find(|part| part.oid == COMMON_NAME) {
        Some(name) => String::from_utf8_lossy(name.value.value()).into_owned(),
        None => subject.to_string(),
    }
}

fn fingerprint(certificate: &[u8]) -> String {
    let mut text = String::new();
    for byte in digest(&SHA256, certificate).as_ref() {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
    }
    text
}
