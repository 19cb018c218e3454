//! Certificates generated at run time, so that no private key is in the repository and none
//! expires.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use upstream::identity::Identity;

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OBJECT_IDENTIFIER: u8 = 0x06;
const ECDSA_WITH_SHA256: [u8; 8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
const EC_PUBLIC_KEY: [u8; 7] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
const P256: [u8; 8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
const COMMON_NAME: [u8; 3] = [0x55, 4, 3];
const ORGANIZATION: [u8; 3] = [0x55, 4, 10];
const SUBJECT_ALT_NAME: [u8; 3] = [0x55, 0x1d, 0x11];

/// The end of every certificate that has not expired, in seconds since 1970.
pub const END: i64 = 253_402_300_799;

/// A self-signed certificate and its key.
pub struct Made {
    pub certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

/// Makes a key and a certificate for a host name.
pub fn made(host: &str) -> Made {
    ending(host, &der(0x18, &[b"99991231235959Z"]))
}

/// Makes a certificate that has expired.
pub fn expired(host: &str) -> Made {
    ending(host, &der(0x17, &[b"210101000000Z"]))
}

impl Made {
    pub fn key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.key.clone()))
    }

    pub fn key_pem(&self) -> String {
        pem("PRIVATE KEY", self.key().secret_der())
    }

    pub fn certificate_pem(&self) -> String {
        pem("CERTIFICATE", &self.certificate)
    }

    pub fn identity(&self) -> Identity {
        Identity::from_pem(&(self.certificate_pem() + &self.key_pem())).unwrap()
    }

    /// The certificate as the only authority.
    pub fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        roots
    }
}

pub fn pem(kind: &str, bytes: &[u8]) -> String {
    let encoded = STANDARD.encode(bytes);
    let lines: Vec<&str> =
        (0..encoded.len()).step_by(64).map(|at| &encoded[at..encoded.len().min(at + 64)]).collect();
    format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", lines.join("\n"))
}

fn ending(host: &str, ends: &[u8]) -> Made {
    let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
    let key = EcdsaKeyPair::generate(algorithm).unwrap();
    let body = body(host, ends, key.public_key().as_ref());
    let signature = key.sign(&SystemRandom::new(), &body).unwrap();
    let signed = der(SEQUENCE, &[&body, &signature_algorithm(), &bits(signature.as_ref())]);
    let key = key.to_pkcs8v1().unwrap().as_ref().to_vec();
    Made { certificate: CertificateDer::from(signed), key }
}

fn body(host: &str, ends: &[u8], public_key: &[u8]) -> Vec<u8> {
    let version = der(0xa0, &[&[2, 1, 2]]);
    let serial = [2, 1, 1];
    let part = |kind: &[u8], text: &str| {
        let part =
            der(SEQUENCE, &[&der(OBJECT_IDENTIFIER, &[kind]), &der(0x0c, &[text.as_bytes()])]);
        der(SET, &[&part])
    };
    let name = der(SEQUENCE, &[&part(&ORGANIZATION, "Loja"), &part(&COMMON_NAME, host)]);
    let begins = der(0x17, &[b"200101000000Z"]);
    let validity = der(SEQUENCE, &[&begins, ends]);
    let key_kind = der(
        SEQUENCE,
        &[&der(OBJECT_IDENTIFIER, &[&EC_PUBLIC_KEY]), &der(OBJECT_IDENTIFIER, &[&P256])],
    );
    let key = der(SEQUENCE, &[&key_kind, &bits(public_key)]);
    let host_names = der(SEQUENCE, &[&der(0x82, &[host.as_bytes()])]);
    let alternative =
        der(SEQUENCE, &[&der(OBJECT_IDENTIFIER, &[&SUBJECT_ALT_NAME]), &der(4, &[&host_names])]);
    let extensions = der(0xa3, &[&der(SEQUENCE, &[&alternative])]);
    let algorithm = signature_algorithm();
    let parts: [&[u8]; 8] =
        [&version, &serial, &algorithm, &name, &validity, &name, &key, &extensions];
    der(SEQUENCE, &parts)
}

fn signature_algorithm() -> Vec<u8> {
    der(SEQUENCE, &[&der(OBJECT_IDENTIFIER, &[&ECDSA_WITH_SHA256])])
}

fn bits(content: &[u8]) -> Vec<u8> {
    der(3, &[&[0], content])
}

/// One DER element: tag, length in its shortest form, content.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let [.., high, low] = content.len().to_be_bytes();
    let length: &[u8] = match (high, low) {
        (0, 0..=127) => &[low],
        (0, _) => &[0x81, low],
        _ => &[0x82, high, low],
    };
    [&[tag], length, &content].concat()
}
