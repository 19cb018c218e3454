//! Certificates and lists of revoked ones, as DER and PEM.
//!
//! A library that writes them would bring two dozen crates into the lock file for a test program;
//! OpenSSL, rustls and nginx judge these few structures at every run.

use anyhow::{Context as _, Result};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::certificates::Identity;

const BOOLEAN: u8 = 0x01;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const UTF8_STRING: u8 = 0x0c;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;

const ECDSA_WITH_SHA256: [u8; 8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
const EC_PUBLIC_KEY: [u8; 7] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
const P256: [u8; 8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
const COMMON_NAME: [u8; 3] = [0x55, 4, 3];
const SUBJECT_KEY_ID: [u8; 3] = [0x55, 0x1d, 14];
const KEY_USAGE: [u8; 3] = [0x55, 0x1d, 15];
const SUBJECT_ALT_NAME: [u8; 3] = [0x55, 0x1d, 17];
const BASIC_CONSTRAINTS: [u8; 3] = [0x55, 0x1d, 19];
const LIST_NUMBER: [u8; 3] = [0x55, 0x1d, 20];
const AUTHORITY_KEY_ID: [u8; 3] = [0x55, 0x1d, 35];
const EXTENDED_KEY_USAGE: [u8; 3] = [0x55, 0x1d, 37];
const SERVER_AUTH: [u8; 8] = [0x2b, 6, 1, 5, 5, 7, 3, 1];
const CLIENT_AUTH: [u8; 8] = [0x2b, 6, 1, 5, 5, 7, 3, 2];

/// The first of January of the first year to that of the last.
pub type Years = (u32, u32);

#[derive(Debug, Clone, Copy)]
pub enum Name<'text> {
    Host(&'text str),
    Ip(&'text [u8]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Server,
    Client,
}

/// What an authority signs for somebody else's key.
#[derive(Debug)]
pub struct Leaf<'text> {
    pub names: &'text [Name<'text>],
    pub years: Years,
    pub serial: u8,
    pub purpose: Purpose,
}

/// An authority's key and name.
pub struct Issuer {
    key: EcdsaKeyPair,
    name: Vec<u8>,
}

impl Issuer {
    pub fn create(name: &str) -> Result<Self> {
        Ok(Self { key: new_key()?, name: common_name(name) })
    }

    /// The authority's own certificate.
    pub fn certificate(&self, years: Years) -> Result<String> {
        let key_id = key_id(&self.key);
        let extensions = [
            extension(&BASIC_CONSTRAINTS, true, &der(SEQUENCE, &[&der(BOOLEAN, &[&[0xff]])])),
            // Signs certificates and lists.
            extension(&KEY_USAGE, true, &der(BIT_STRING, &[&[1, 0b0000_0110]])),
            extension(&SUBJECT_KEY_ID, false, &der(OCTET_STRING, &[&key_id])),
        ];
        let body = self.body(100, &self.name, &self.key, years, &extensions.concat());
        Ok(pem("CERTIFICATE", &self.signed(&body)?))
    }

    /// A certificate and its new key.
    pub fn sign(&self, leaf: &Leaf<'_>) -> Result<Identity> {
        let key = new_key()?;
        let (role, usage) = match leaf.purpose {
            Purpose::Server => ("server", SERVER_AUTH),
            Purpose::Client => ("client", CLIENT_AUTH),
        };
        let subject = common_name(&format!("Fake PSP {role} {}", leaf.serial));
        let usage = der(SEQUENCE, &[&der(OBJECT_IDENTIFIER, &[&usage])]);
        let mut extensions = vec![
            // Signs handshakes.
            extension(&KEY_USAGE, true, &der(BIT_STRING, &[&[7, 0b1000_0000]])),
            extension(&EXTENDED_KEY_USAGE, false, &usage),
            extension(&SUBJECT_KEY_ID, false, &der(OCTET_STRING, &[&key_id(&key)])),
            self.authority_key_id(),
        ];
        if !leaf.names.is_empty() {
            let names: Vec<Vec<u8>> = leaf.names.iter().map(Name::der).collect();
            let names = der(SEQUENCE, &[&names.concat()]);
            extensions.push(extension(&SUBJECT_ALT_NAME, false, &names));
        }
        let body = self.body(leaf.serial, &subject, &key, leaf.years, &extensions.concat());
        let certificate = pem("CERTIFICATE", &self.signed(&body)?);
        let pkcs8 = key.to_pkcs8v1().context("the key cannot be written")?;
        Ok(Identity { certificate, key: pem("PRIVATE KEY", pkcs8.as_ref()) })
    }

    /// A list with one revoked certificate.
    pub fn revocations(&self, (first, last): Years, serial: u8) -> Result<String> {
        let number = extension(&LIST_NUMBER, false, &der(INTEGER, &[&[1]]));
        let extensions = [self.authority_key_id(), number].concat();
        let revoked = der(SEQUENCE, &[&der(INTEGER, &[&[serial]]), &new_year(first)]);
        let body = der(
            SEQUENCE,
            &[
                &der(INTEGER, &[&[1]]),
                &signature_algorithm(),
                &self.name,
                &new_year(first),
                &new_year(last),
                &der(SEQUENCE, &[&revoked]),
                &der(0xa0, &[&der(SEQUENCE, &[&extensions])]),
            ],
        );
        Ok(pem("X509 CRL", &self.signed(&body)?))
    }

    fn body(
        &self,
        serial: u8,
        subject: &[u8],
        key: &EcdsaKeyPair,
        (first, last): Years,
        extensions: &[u8],
    ) -> Vec<u8> {
        let kind = [der(OBJECT_IDENTIFIER, &[&EC_PUBLIC_KEY]), der(OBJECT_IDENTIFIER, &[&P256])];
        let kind = der(SEQUENCE, &[&kind.concat()]);
        let public_key = der(BIT_STRING, &[&[0], key.public_key().as_ref()]);
        der(
            SEQUENCE,
            &[
                &der(0xa0, &[&der(INTEGER, &[&[2]])]),
                &der(INTEGER, &[&[serial]]),
                &signature_algorithm(),
                &self.name,
                &der(SEQUENCE, &[&new_year(first), &new_year(last)]),
                subject,
                &der(SEQUENCE, &[&kind, &public_key]),
                &der(0xa3, &[&der(SEQUENCE, &[extensions])]),
            ],
        )
    }

    fn signed(&self, body: &[u8]) -> Result<Vec<u8>> {
        let signature = self.key.sign(&SystemRandom::new(), body);
        let signature = signature.context("the authority cannot sign")?;
        let signature = der(BIT_STRING, &[&[0], signature.as_ref()]);
        Ok(der(SEQUENCE, &[body, &signature_algorithm(), &signature]))
    }

    fn authority_key_id(&self) -> Vec<u8> {
        let id = der(SEQUENCE, &[&der(0x80, &[&key_id(&self.key)])]);
        extension(&AUTHORITY_KEY_ID, false, &id)
    }
}

impl Name<'_> {
    fn der(&self) -> Vec<u8> {
        match self {
            Self::Host(host) => der(DNS_NAME, &[host.as_bytes()]),
            Self::Ip(address) => der(IP_ADDRESS, &[address]),
        }
    }
}

fn new_key() -> Result<EcdsaKeyPair> {
    let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
    EcdsaKeyPair::generate(algorithm).context("the system makes no key")
}

fn key_id(key: &EcdsaKeyPair) -> Vec<u8> {
    let hash = digest(&SHA256, key.public_key().as_ref());
    hash.as_ref().iter().take(20).copied().collect()
}

fn common_name(text: &str) -> Vec<u8> {
    let pair = [der(OBJECT_IDENTIFIER, &[&COMMON_NAME]), der(UTF8_STRING, &[text.as_bytes()])];
    der(SEQUENCE, &[&der(SET, &[&der(SEQUENCE, &[&pair.concat()])])])
}

/// Two digits of the year until 2049, and four after it.
fn new_year(year: u32) -> Vec<u8> {
    if year < 2050 {
        return der(UTC_TIME, &[format!("{:02}0101000000Z", year % 100).as_bytes()]);
    }
    der(GENERALIZED_TIME, &[format!("{year}0101000000Z").as_bytes()])
}

fn signature_algorithm() -> Vec<u8> {
    der(SEQUENCE, &[&der(OBJECT_IDENTIFIER, &[&ECDSA_WITH_SHA256])])
}

fn extension(id: &[u8], is_critical: bool, value: &[u8]) -> Vec<u8> {
    let id = der(OBJECT_IDENTIFIER, &[id]);
    let critical = if is_critical { der(BOOLEAN, &[&[0xff]]) } else { Vec::new() };
    der(SEQUENCE, &[&id, &critical, &der(OCTET_STRING, &[value])])
}

/// One element: tag, length in its shortest form, content.
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

fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let mut lines = String::new();
    for (index, character) in text.chars().enumerate() {
        if index > 0 && index % 64 == 0 {
            lines.push('\n');
        }
        lines.push(character);
    }
    format!("-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n")
}
