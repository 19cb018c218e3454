//! Both sides' certificates: what each way of being wrong comes to, with TLS 1.2 and 1.3.

use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::version::{TLS12, TLS13};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, OtherError, RootCertStore,
    SignatureScheme,
};
use upstream::call::Call;
use upstream::client::Client;
use upstream::failure::{Failure, Fault, Unsent};
use upstream::settings::Settings;

use crate::certificate::{expired, made};
use crate::peer::{Act, Peer, demanding, ok};

/// A service that judges every client certificate alike.
#[derive(Debug)]
struct Judges(CertificateError);

impl ClientCertVerifier for Judges {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Err(Error::InvalidCertificate(self.0.clone()))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = default_provider().signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, &algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = default_provider().signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, &algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        default_provider().signature_verification_algorithms.supported_schemes()
    }
}

async fn pay(client: &Client) -> Result<u16, Failure> {
    let call = Call::post("pay", "/pay").json(&1);
    client.call(call).await.result.map(|answer| answer.status)
}

#[tokio::test]
async fn our_certificate_opens_a_service_that_demands_it() {
    for version in [&TLS12, &TLS13] {
        let own = made("loja");
        let verifier = demanding(own.roots());
        let peer = Peer::with(made("localhost"), Some(verifier), &[version], |_, _| ok()).await;
        assert_eq!(pay(&peer.client_as(own.identity())).await, Ok(200), "{version:?}");
        assert_eq!(peer.lines(), ["POST /base/pay"]);
    }
}

#[tokio::test]
async fn a_certificate_that_the_service_refuses_is_misconfigured_and_nothing_is_done() {
    for version in [&TLS12, &TLS13] {
        let (known, old, foreign) = (made("loja"), expired("loja"), made("other"));
        let mut roots = known.roots();
        roots.add(old.certificate.clone()).unwrap();
        let verifier = demanding(roots);
        let peer = Peer::with(made("localhost"), Some(verifier), &[version], |_, _| ok()).await;
        for (identity, expected) in [
            (old, "the service says that our certificate has expired"),
            (foreign, "the service does not know the authority of our certificate"),
        ] {
            let failure = pay(&peer.client_as(identity.identity())).await.unwrap_err();
            let cause = expected.to_owned();
            assert_eq!(failure, Failure::Misconfigured { fault: Fault::Certificate, cause });
        }
        assert_eq!(peer.requests(), [""; 0], "{version:?}");
        assert_eq!(pay(&peer.client_as(known.identity())).await, Ok(200), "{version:?}");
    }
}

#[tokio::test]
async fn a_service_that_misses_our_certificate_is_misconfigured_and_nothing_is_done() {
    for (version, expected) in [
        (&TLS12, "the service requires a client certificate"),
        (&TLS13, "the service requires a client certificate"),
    ] {
        let verifier = demanding(made("loja").roots());
        let peer = Peer::with(made("localhost"), Some(verifier), &[version], |_, _| ok()).await;
        let cause = expected.to_owned();
        let expected = Failure::Misconfigured { fault: Fault::Certificate, cause };
        assert_eq!(pay(&peer.client()).await, Err(expected), "{version:?}");
        assert_eq!(peer.requests(), [""; 0], "{version:?}");
    }
}

#[tokio::test]
async fn every_other_verdict_on_our_certificate_is_misconfigured_too() {
    let other = || CertificateError::Other(OtherError(Arc::new(std::fmt::Error)));
    for version in [&TLS12, &TLS13] {
        for (verdict, expected) in [
            (CertificateError::Revoked, "the service says that our certificate is revoked"),
            (
                CertificateError::InvalidPurpose,
                "the service does not support our kind of certificate",
            ),
            (
                CertificateError::ApplicationVerificationFailure,
                "the service denies access to the owner of our certificate",
            ),
            (CertificateError::NotValidForName, "the service says that our certificate is damaged"),
            (other(), "the service does not accept our certificate"),
        ] {
            let verifier = Arc::new(Judges(verdict));
            let peer = Peer::with(made("localhost"), Some(verifier), &[version], |_, _| ok()).await;
            let cause = expected.to_owned();
            let expected = Failure::Misconfigured { fault: Fault::Certificate, cause };
            let paid = pay(&peer.client_as(made("loja").identity())).await;
            assert_eq!(paid, Err(expected), "{version:?}");
            assert_eq!(peer.requests(), [""; 0], "{version:?}");
        }
    }
}

#[tokio::test]
async fn a_service_that_closes_without_a_word_leaves_the_outcome_unknown() {
    for version in [&TLS12, &TLS13] {
        let close = |_: usize, _: &str| Act::Close(Vec::new());
        let peer = Peer::with(made("localhost"), None, &[version], close).await;
        let failure = pay(&peer.client()).await.unwrap_err();
        assert!(matches!(failure, Failure::Unknown { .. }), "{version:?} {failure:?}");
    }
}

#[tokio::test]
async fn a_service_whose_certificate_is_not_acceptable_gets_no_request() {
    for version in [&TLS12, &TLS13] {
        let (old, other, foreign) = (expired("localhost"), made("example.com"), made("localhost"));
        let (old_roots, other_roots) = (old.roots(), other.roots());
        for (own, roots, expected) in [
            (old, old_roots, "the certificate of the service has expired"),
            (other, other_roots, "the certificate of the service is for another name"),
            (
                foreign,
                RootCertStore::empty(),
                "the certificate of the service is not from a trusted authority",
            ),
        ] {
            let peer = Peer::with(own, None, &[version], |_, _| ok()).await;
            let client = Client::new(&Settings { roots, ..peer.settings() }).unwrap();
            let expected = Failure::NotSent {
                reason: Unsent::ServerCertificate,
                cause: expected.to_owned(),
                retry_after: None,
            };
            assert_eq!(pay(&client).await, Err(expected), "{version:?}");
            assert_eq!(peer.requests(), [""; 0], "{version:?}");
        }
    }
}
