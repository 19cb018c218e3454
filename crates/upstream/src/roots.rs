//! The certificate authorities that identify services.

use std::sync::{Arc, LazyLock};

use rustls::client::WantsClientCert;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
use thiserror::Error;

/// Why a text is not a list of authorities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RootsError {
    #[error("The text has no certificate of an authority (`BEGIN CERTIFICATE`).")]
    None,
    #[error("The PEM text of the authority's certificate is damaged.")]
    Pem,
    #[error("A certificate in the text cannot be the certificate of an authority.")]
    Certificate,
}

static OF_THIS_MACHINE: LazyLock<RootCertStore> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
});

/// The authorities of this machine, which are read once.
///
/// Works on a machine without authorities; its TLS handshakes fail.
pub fn of_this_machine() -> RootCertStore {
    OF_THIS_MACHINE.clone()
}

/// The beginning of a TLS configuration that trusts these authorities.
#[expect(clippy::missing_panics_doc, reason = "the provider is built in, and has what is needed")]
pub fn trusting(roots: RootCertStore) -> ConfigBuilder<ClientConfig, WantsClientCert> {
    ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider has the cipher suites of the default versions")
        .with_root_certificates(roots)
}

/// Adds the authorities in a PEM text.
pub fn add_pem(roots: &mut RootCertStore, pem: &str) -> Result<(), RootsError> {
    let before = roots.len();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        let certificate = certificate.map_err(|_| RootsError::Pem)?;
        roots.add(certificate).map_err(|_| RootsError::Certificate)?;
    }
    if roots.len() == before { Err(RootsError::None) } else { Ok(()) }
}
