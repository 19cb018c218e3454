//! The listeners: plain HTTP, TLS, and TLS that demands a certificate.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::body::Output;
use crate::call::{Call, Listener};
use crate::certificates::{Refusal, TlsModes};
use crate::core::{self, Outcome};
use crate::fake::Shared;
use crate::reply::Reply;

const BODY_MAX: usize = 8 << 20;

/// Serves until the sender of `stop` says so or is gone.
pub async fn serve(
    socket: TcpListener,
    listener: Listener,
    shared: Arc<Shared>,
    mut stop: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = stop.changed() => return,
            Some(_) = connections.join_next() => {}
            accepted = socket.accept() => {
                if let Ok((stream, _)) = accepted {
                    drop(stream.set_nodelay(true));
                    connections.spawn(connection(stream, listener, Arc::clone(&shared)));
                }
            }
        }
    }
}

async fn connection(stream: TcpStream, listener: Listener, shared: Arc<Shared>) {
    if listener == Listener::Plain {
        return talk(stream, listener, &shared, false).await;
    }
    let modes = shared.world().tls;
    let Ok(config) = config(&shared, listener, modes) else { return };
    let Ok(stream) = TlsAcceptor::from(Arc::new(config)).accept(stream).await else { return };
    let is_known = listener == Listener::Tls || is_known(&shared, &stream);
    if !is_known && modes.refusal == Refusal::Close {
        return;
    }
    talk(stream, listener, &shared, !is_known).await;
}

/// HTTP on one connection. A stranger gets one answer to everything.
async fn talk<S>(stream: S, listener: Listener, shared: &Arc<Shared>, is_stranger: bool)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let service = service_fn(move |request| {
        let shared = Arc::clone(shared);
        async move {
            if is_stranger {
                return Ok(response(&Reply::html(400, "400 The SSL certificate error")));
            }
            answer(&shared, listener, request).await
        }
    });
    let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    // A cut connection ends in an error, as the fault wants it.
    drop(served);
}

async fn answer(
    shared: &Arc<Shared>,
    listener: Listener,
    request: Request<Incoming>,
) -> Result<Response<Output>, io::Error> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, BODY_MAX).collect().await.map_err(io::Error::other)?.to_bytes();
    let call = Call::new(listener, head.method.as_str(), &head.uri, head.headers, body);
    match core::answer(shared, call).await {
        Outcome::Whole(reply) => Ok(response(&reply)),
        Outcome::Half(reply) => {
            let length = reply.body.len();
            Ok(spoiled(&reply, Output::half(&reply.body), length))
        }
        Outcome::Drip(reply, pause) => {
            let output = Output::drip(&reply.body, Duration::from_millis(pause));
            let length = reply.body.len();
            Ok(spoiled(&reply, output, length))
        }
        Outcome::Cut => Err(io::Error::other("the fault cuts the connection here")),
        Outcome::Never => {
            let never: Infallible = std::future::pending().await;
            match never {}
        }
    }
}

fn response(reply: &Reply) -> Response<Output> {
    let body: Bytes = reply.body.clone();
    build(reply, Output::whole(body))
}

fn spoiled(reply: &Reply, output: Output, length: usize) -> Response<Output> {
    let mut response = build(reply, output);
    response.headers_mut().insert("content-length", length.into());
    response
}

fn build(reply: &Reply, output: Output) -> Response<Output> {
    let mut response = Response::new(output);
    *response.status_mut() = http::StatusCode::from_u16(reply.status).unwrap_or_default();
    for (name, value) in &reply.headers {
        let name = name.parse::<http::HeaderName>();
        if let (Ok(name), Ok(value)) = (name, value.parse()) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

fn config(shared: &Shared, listener: Listener, modes: TlsModes) -> Result<ServerConfig> {
    let identity = shared.authority.identity(modes.server);
    let builder = ServerConfig::builder_with_provider(Arc::clone(&shared.provider))
        .with_safe_default_protocol_versions()?;
    let builder = match (listener, modes.refusal) {
        (Listener::TlsClient, Refusal::Alert) => {
            builder.with_client_cert_verifier(Arc::clone(&shared.verifier))
        }
        (Listener::TlsClient, _) => {
            let anything = Anything { provider: Arc::clone(&shared.provider) };
            builder.with_client_cert_verifier(Arc::new(anything))
        }
        _ => builder.with_no_client_auth(),
    };
    let mut config = builder.with_single_cert(identity.chain()?, identity.private_key()?)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Whether the client showed a certificate that the strict verifier accepts.
fn is_known(shared: &Shared, stream: &tokio_rustls::server::TlsStream<TcpStream>) -> bool {
    let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
    let Some((own, above)) = chain.split_first() else { return false };
    shared.verifier.verify_client_cert(own, above, UnixTime::now()).is_ok()
}

/// Takes every client certificate, and none: the refusal comes later, in another way.
#[derive(Debug)]
struct Anything {
    provider: Arc<CryptoProvider>,
}

impl ClientCertVerifier for Anything {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
