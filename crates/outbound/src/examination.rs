//! What the owner of a target learns when its server does not answer: the addresses of its name,
//! which of them accept a connection, and what its certificate lacks.
//!
//! Nothing of it is given for a name with an address that must not be called: the difference
//! between two errors of an internal network is what a scan of that network needs.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, ProtocolVersion,
    RootCertStore, SignatureScheme,
};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use x509_cert::Certificate;
use x509_cert::der::Decode;

use crate::address::is_public;
use crate::connector::{Dialer, Route};
use crate::failure::Failure;
use crate::target::Target;

/// How many addresses of a name are looked at.
const ADDRESSES_MAX: usize = 8;
const LOOKUP_TIME_MAX: Duration = Duration::from_secs(3);
const CONNECT_TIME_MAX: Duration = Duration::from_secs(2);
const TLS_TIME_MAX: Duration = Duration::from_secs(3);

/// What was found of a target's server.
#[derive(Debug, Clone)]
pub struct Examination {
    /// How long the name took to resolve.
    pub lookup: Duration,
    /// Whether every address of the name is on the public internet: another one may be called only
    /// where the operator allows it.
    pub is_public: bool,
    /// The first addresses of the name, and whether they accepted a connection.
    pub connections: Vec<Connection>,
    /// `None` without TLS, or if no address accepted a connection.
    pub tls: Option<TlsExamination>,
}

/// A try to connect to one address.
#[derive(Debug, Clone, Copy)]
pub struct Connection {
    pub address: IpAddr,
    pub failure: Option<Failure>,
    pub took: Duration,
}

/// A TLS handshake.
#[derive(Debug, Clone, Copy)]
pub struct TlsExamination {
    /// The version, such as `TLS 1.3`.
    pub version: Result<&'static str, TlsFault>,
    /// When the server's certificate ends, in seconds since 1970; `None` if it showed none.
    pub expires_at: Option<u64>,
    pub took: Duration,
}

/// Why a handshake failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsFault {
    /// The certificate has ended.
    Expired,
    /// The certificate is not valid yet.
    NotYetValid,
    /// The certificate is for other names.
    OtherName,
    /// The server sent its certificate alone, without the one of its issuer.
    IntermediateMissing,
    /// No known authority has issued the certificate.
    UnknownAuthority,
    /// The server speaks no TLS there, or none that both accept.
    Handshake,
    Timeout,
}

/// Examines targets with the checks and the authorities of a client.
#[derive(Clone)]
pub(crate) struct Examiner {
    pub(crate) dialer: Arc<Dialer>,
    pub(crate) roots: Arc<RootCertStore>,
}

/// Verifies certificates as ever, and keeps what the server showed.
#[derive(Debug)]
struct Observing {
    verifier: Arc<WebPkiServerVerifier>,
    shown: Mutex<Option<Shown>>,
}

/// The certificates of a server.
#[derive(Debug, Clone, Copy)]
struct Shown {
    expires_at: Option<u64>,
    is_alone: bool,
    is_self_signed: bool,
}

impl Examiner {
    pub(crate) async fn examine(&self, target: &Target) -> Result<Examination, Failure> {
        let route = Route::of(target.uri())?;
        let began = Instant::now();
        let looked_up = timeout(LOOKUP_TIME_MAX, self.dialer.addresses(route)).await;
        let addresses = looked_up.map_err(|_| Failure::Timeout)??;
        let lookup = began.elapsed();
        let is_public = addresses.iter().copied().all(is_public);
        let tries = addresses.into_iter().take(ADDRESSES_MAX).map(async |address| {
            let began = Instant::now();
            let connected = self.dialer.connect(address, route, CONNECT_TIME_MAX).await;
            (address, connected, began.elapsed())
        });
        let (mut connections, mut stream) = (Vec::new(), None);
        for (address, connected, took) in join_all(tries).await {
            connections.push(Connection {
                address,
                failure: connected.as_ref().err().copied(),
                took,
            });
            stream = stream.or(connected.ok());
        }
        let is_secure = target.uri().scheme_str() == Some("https");
        let tls = match stream.filter(|_| is_secure) {
            Some(stream) => Some(self.shake_hands(route.host, stream).await),
            None => None,
        };
        Ok(Examination { lookup, is_public, connections, tls })
    }

    pub(crate) async fn has_addresses(&self, target: &Target) -> bool {
        let Ok(route) = Route::of(target.uri()) else { return false };
        let looked_up = timeout(LOOKUP_TIME_MAX, self.dialer.addresses(route)).await;
        looked_up.is_ok_and(|found| found.is_ok())
    }

    async fn shake_hands(&self, host: &str, stream: TcpStream) -> TlsExamination {
        let began = Instant::now();
        let faulty = |fault, expires_at| TlsExamination {
            version: Err(fault),
            expires_at,
            took: began.elapsed(),
        };
        let Some((config, observing)) = self.config() else {
            return faulty(TlsFault::UnknownAuthority, None);
        };
        let Ok(name) = ServerName::try_from(host.to_owned()) else {
            return faulty(TlsFault::Handshake, None);
        };
        let connecting = TlsConnector::from(Arc::new(config)).connect(name, stream);
        let connected = timeout(TLS_TIME_MAX, connecting).await;
        let shown = observing.shown();
        let expires_at = shown.and_then(|shown| shown.expires_at);
        match connected {
            Err(_) => faulty(TlsFault::Timeout, expires_at),
            Ok(Err(error)) => {
                let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>());
                faulty(fault(inner, shown), expires_at)
            }
            Ok(Ok(stream)) => {
                let version = match stream.get_ref().1.protocol_version() {
                    Some(ProtocolVersion::TLSv1_2) => "TLS 1.2",
                    _ => "TLS 1.3",
                };
                TlsExamination { version: Ok(version), expires_at, took: began.elapsed() }
            }
        }
    }

    /// `None` on a machine without authorities.
    fn config(&self) -> Option<(ClientConfig, Arc<Observing>)> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let roots = self.roots.clone();
        let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider.clone());
        let observing =
            Arc::new(Observing { verifier: verifier.build().ok()?, shown: Mutex::default() });
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .ok()?
            .dangerous()
            .with_custom_certificate_verifier(observing.clone())
            .with_no_client_auth();
        Some((config, observing))
    }
}

impl Observing {
    fn shown(&self) -> Option<Shown> {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerCertVerifier for Observing {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let read = Certificate::from_der(end_entity).ok().map(|read| read.tbs_certificate);
        let shown = Shown {
            expires_at: read
                .as_ref()
                .map(|read| read.validity.not_after.to_unix_duration().as_secs()),
            is_alone: intermediates.is_empty(),
            is_self_signed: read.is_some_and(|read| read.issuer == read.subject),
        };
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(shown);
        self.verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.verifier.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.verifier.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

fn fault(error: Option<&TlsError>, shown: Option<Shown>) -> TlsFault {
    let Some(TlsError::InvalidCertificate(error)) = error else { return TlsFault::Handshake };
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => TlsFault::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            TlsFault::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsFault::OtherName
        }
        CertificateError::UnknownIssuer
            if shown.is_some_and(|shown| shown.is_alone && !shown.is_self_signed) =>
        {
            TlsFault::IntermediateMissing
        }
        _ => TlsFault::UnknownAuthority,
    }
}

#[cfg(test)]
mod tests {
    use rustls::{CertificateError, Error as TlsError};

    use super::{Shown, TlsFault, fault};

    #[test]
    fn a_fault_of_a_certificate_has_a_name() {
        let shown =
            |is_alone, is_self_signed| Some(Shown { expires_at: None, is_alone, is_self_signed });
        let (chain, alone, own) = (shown(false, false), shown(true, false), shown(true, true));
        let table = [
            (CertificateError::Expired, chain, TlsFault::Expired),
            (CertificateError::NotValidYet, chain, TlsFault::NotYetValid),
            (CertificateError::NotValidForName, chain, TlsFault::OtherName),
            (CertificateError::UnknownIssuer, alone, TlsFault::IntermediateMissing),
            (CertificateError::UnknownIssuer, own, TlsFault::UnknownAuthority),
            (CertificateError::UnknownIssuer, chain, TlsFault::UnknownAuthority),
            (CertificateError::BadSignature, chain, TlsFault::UnknownAuthority),
        ];
        for (error, shown, expected) in table {
            let error = TlsError::InvalidCertificate(error);
            assert_eq!(fault(Some(&error), shown), expected, "{error}");
        }
        assert_eq!(fault(Some(&TlsError::HandshakeNotComplete), None), TlsFault::Handshake);
        assert_eq!(fault(None, None), TlsFault::Handshake);
    }
}
