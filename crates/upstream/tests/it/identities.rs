//! What operators paste, and what they are shown of it.

use upstream::identity::{Identity, IdentityError};
use upstream::roots::{RootsError, add_pem};

use crate::certificate::{END, expired, made, pem};

fn refusal(text: &str) -> IdentityError {
    Identity::from_pem(text).unwrap_err()
}

#[test]
fn an_identity_is_read_in_any_order_and_between_other_text() {
    let (own, authority) = (made("loja"), made("authority"));
    let (certificate, key, more) =
        (own.certificate_pem(), own.key_pem(), authority.certificate_pem());
    let openssl = format!(
        "Bag Attributes\n    friendlyName: x\nKey Attributes: <No Attributes>\n{key}\
         Bag Attributes\nsubject=CN=authority\n{more}Bag Attributes\nsubject=CN=loja\n{certificate}"
    );
    for text in [
        format!("{certificate}{key}"),
        format!("{key}{certificate}{more}"),
        format!("{more}{certificate}{key}"),
        openssl.replace('\n', "\r\n"),
        openssl,
    ] {
        let identity = Identity::from_pem(&text).unwrap();
        assert_eq!(identity.subject(), "loja", "{text}");
    }
}

#[test]
fn what_is_shown_of_an_identity_is_its_own_and_never_its_key() {
    let own = made("loja");
    let identity = own.identity();
    let sha256 = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &own.certificate);
    let digits: Vec<String> = sha256.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let hex = digits.concat();
    assert_eq!(identity.subject(), "loja");
    assert_eq!(identity.fingerprint(), hex);
    assert_eq!(identity.not_after(), END);
    assert_eq!(expired("loja").identity().not_after(), 1_609_459_200);
    let printed = format!("{identity:?}");
    assert_eq!(
        printed,
        format!("Identity {{ subject: \"loja\", fingerprint: \"{hex}\", not_after: {END}, .. }}")
    );
}

#[test]
fn a_text_that_is_no_identity_is_refused_for_what_is_wrong_with_it() {
    let (own, other) = (made("loja"), made("loja"));
    let (certificate, key) = (own.certificate_pem(), own.key_pem());
    let encrypted = pem("ENCRYPTED PRIVATE KEY", b"secret");
    let old = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\
               DEK-Info: AES-256-CBC,0A\n\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n";
    let cut = &key[..key.len() - 10];
    for (text, expected) in [
        (String::new(), IdentityError::NoCertificate),
        ("not PEM".to_owned(), IdentityError::NoCertificate),
        (key.clone(), IdentityError::NoCertificate),
        (certificate.clone(), IdentityError::NoKey),
        (format!("{certificate}{encrypted}"), IdentityError::EncryptedKey),
        (format!("{certificate}{old}"), IdentityError::EncryptedKey),
        (format!("{old}{certificate}"), IdentityError::EncryptedKey),
        (format!("{certificate}{key}{}", other.key_pem()), IdentityError::SeveralKeys),
        (format!("{certificate}{cut}"), IdentityError::Pem),
        (format!("{certificate}{}", key.replace('M', "!")), IdentityError::Pem),
        (format!("{certificate}{}", pem("PRIVATE KEY", b"no key")), IdentityError::Key),
        (format!("{}{key}", pem("CERTIFICATE", b"no")), IdentityError::Certificate),
        (format!("{certificate}{}", other.key_pem()), IdentityError::KeyMismatch),
    ] {
        assert_eq!(refusal(&text), expected, "{text}");
    }
}

#[test]
fn authorities_are_added_to_those_of_the_machine_or_refused() {
    let (first, second) = (made("a"), made("b"));
    let mut roots = first.roots();
    add_pem(&mut roots, &second.certificate_pem()).unwrap();
    assert_eq!(roots.len(), 2);
    for (text, expected) in [
        ("", RootsError::None),
        (first.key_pem().as_str(), RootsError::None),
        ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", RootsError::Pem),
        (pem("CERTIFICATE", b"no").as_str(), RootsError::Certificate),
    ] {
        assert_eq!(add_pem(&mut roots, text), Err(expected), "{text}");
    }
}
