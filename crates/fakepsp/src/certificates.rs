//! A test authority, made at every start: no private key is in the repository and none expires.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use rustls::RootCertStore;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use serde::Deserialize;

use crate::x509::{Issuer, Leaf, Name, Purpose};

/// Which certificate the TLS listeners show, and how they refuse a client's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TlsModes {
    pub server: ServerCertificate,
    pub refusal: Refusal,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerCertificate {
    #[default]
    Good,
    Expired,
    OtherName,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// A TLS alert that says why.
    #[default]
    Alert,
    /// The connection ends without a word.
    Close,
    /// The handshake succeeds, and every request gets 400 and a page of HTML.
    Html,
}

/// A certificate and its key, as PEM.
#[derive(Debug, Clone)]
pub struct Identity {
    pub certificate: String,
    pub key: String,
}

/// Everything that the authority signed.
#[derive(Debug)]
pub struct Authority {
    pub certificate: String,
    pub revocations: String,
    pub server: Identity,
    pub server_expired: Identity,
    pub server_other_name: Identity,
    pub client: Identity,
    pub client_expired: Identity,
    pub client_foreign: Identity,
    pub client_revoked: Identity,
    /// The banks' own, with which they send notices.
    pub bank: Identity,
}

/// Years that no test outlives, and years that are over.
const CURRENT: (u32, u32) = (2020, 2099);
const OVER: (u32, u32) = (2020, 2021);

const V4: [u8; 4] = [127, 0, 0, 1];
const V6: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

impl Authority {
    pub fn create() -> Result<Self> {
        let issuer = Issuer::create("Fake PSP test authority")?;
        let stranger = Issuer::create("Another test authority")?;
        let local = [Name::Host("localhost"), Name::Ip(&V4), Name::Ip(&V6)];
        let server = |names: &[Name], years, serial| {
            issuer.sign(&Leaf { names, years, serial, purpose: Purpose::Server })
        };
        let client = |issuer: &Issuer, years, serial| {
            issuer.sign(&Leaf { names: &[], years, serial, purpose: Purpose::Client })
        };
        let revoked = 7;
        Ok(Self {
            certificate: issuer.certificate(CURRENT)?,
            revocations: issuer.revocations(CURRENT, revoked)?,
            server: server(&local, CURRENT, 1)?,
            server_expired: server(&local, OVER, 2)?,
            server_other_name: server(&[Name::Host("bank.invalid")], CURRENT, 3)?,
            client: client(&issuer, CURRENT, 4)?,
            client_expired: client(&issuer, OVER, 5)?,
            client_foreign: client(&stranger, CURRENT, 6)?,
            client_revoked: client(&issuer, CURRENT, revoked)?,
            bank: client(&issuer, CURRENT, 8)?,
        })
    }

    /// Writes every PEM under the name that the tests and the judges know.
    pub fn write(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).context("cannot create the folder for certificates")?;
        let put = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        put("ca.pem", &self.certificate)?;
        put("crl.pem", &self.revocations)?;
        for (name, identity) in [
            ("server", &self.server),
            ("client-good", &self.client),
            ("client-expired", &self.client_expired),
            ("client-foreign", &self.client_foreign),
            ("client-revoked", &self.client_revoked),
            ("bank", &self.bank),
        ] {
            put(&format!("{name}.pem"), &identity.certificate)?;
            put(&format!("{name}.key.pem"), &identity.key)?;
            put(&format!("{name}.both.pem"), &format!("{}{}", identity.certificate, identity.key))?;
        }
        Ok(())
    }

    pub fn identity(&self, which: ServerCertificate) -> &Identity {
        match which {
            ServerCertificate::Good => &self.server,
            ServerCertificate::Expired => &self.server_expired,
            ServerCertificate::OtherName => &self.server_other_name,
        }
    }

    pub fn roots(&self) -> Result<RootCertStore> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.certificate.as_bytes())?)?;
        Ok(roots)
    }

    /// Knows the authority's client certificates, and which of them were revoked.
    pub fn verifier(&self, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ClientCertVerifier>> {
        let list = CertificateRevocationListDer::from_pem_slice(self.revocations.as_bytes())?;
        let roots = Arc::new(self.roots()?);
        let builder = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(provider));
        let builder = builder.with_crls([list]).only_check_end_entity_revocation();
        Ok(builder.allow_unknown_revocation_status().build()?)
    }
}

impl Identity {
    pub fn chain(&self) -> Result<Vec<CertificateDer<'static>>> {
        Ok(vec![CertificateDer::from_pem_slice(self.certificate.as_bytes())?])
    }

    pub fn private_key(&self) -> Result<PrivateKeyDer<'static>> {
        Ok(PrivateKeyDer::from_pem_slice(self.key.as_bytes())?)
    }
}
