//! The banks as clients: to the addresses of notices, and to a validator that stands in between.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Url;

use super::loopback;
use crate::certificates::Authority;

/// How long a receiver may take; the real banks wait for up to a minute.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether the bank shows its certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Certificate,
    Nothing,
}

#[derive(Debug, Clone)]
pub struct Message {
    pub method: String,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Bytes,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

#[derive(Debug)]
pub struct Client {
    with_certificate: Arc<ClientConfig>,
    without: Arc<ClientConfig>,
}

impl Client {
    /// Trusts the test authority, and the authorities of one more file of PEM.
    pub fn new(
        authority: &Authority,
        trust: Option<&str>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self> {
        use rustls::pki_types::CertificateDer;
        use rustls::pki_types::pem::PemObject as _;
        let mut roots = authority.roots()?;
        for certificate in CertificateDer::pem_slice_iter(trust.unwrap_or_default().as_bytes()) {
            roots.add(certificate.context("cannot read the certificates to trust")?)?;
        }
        let builder = || {
            let builder = ClientConfig::builder_with_provider(Arc::clone(provider));
            let builder = builder.with_safe_default_protocol_versions()?;
            anyhow::Ok(builder.with_root_certificates(roots.clone()))
        };
        let bank = &authority.bank;
        let known = builder()?.with_client_auth_cert(bank.chain()?, bank.private_key()?)?;
        let without = Arc::new(builder()?.with_no_client_auth());
        Ok(Self { with_certificate: Arc::new(known), without })
    }

    /// One request on a connection of its own.
    pub async fn send(&self, message: Message, shown: Shown) -> Result<Answer> {
        match tokio::time::timeout(PATIENCE, self.exchange(message, shown)).await {
            Ok(answer) => answer,
            Err(_) => bail!("no answer in time"),
        }
    }

    async fn exchange(&self, message: Message, shown: Shown) -> Result<Answer> {
        let Some(address) = loopback::address(&message.url) else {
            bail!("the address is not on this machine");
        };
        let stream = TcpStream::connect(address).await.context("cannot connect")?;
        if message.url.scheme() != "https" {
            return talk(stream, message).await;
        }
        let config = match shown {
            Shown::Certificate => &self.with_certificate,
            Shown::Nothing => &self.without,
        };
        let host = message.url.host_str().unwrap_or_default();
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
        let connector = TlsConnector::from(Arc::clone(config));
        let stream = connector.connect(name, stream).await.context("the handshake failed")?;
        talk(stream, message).await
    }
}

async fn talk<S>(stream: S, message: Message) -> Result<Answer>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let url = &message.url;
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let mut request = Request::builder()
        .method(message.method.as_str())
        .uri(format!("{}{query}", url.path()))
        .body(Full::new(message.body))?;
    *request.headers_mut() = message.headers;
    request.headers_mut().insert("host", format!("{host}{port}").parse()?);
    let answered = async {
        let response = sender.send_request(request).await?;
        let (head, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        anyhow::Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    };
    let mut answered = std::pin::pin!(answered);
    let mut connection = std::pin::pin!(connection);
    let mut is_open = true;
    loop {
        tokio::select! {
            answer = &mut answered => return answer,
            _ = &mut connection, if is_open => is_open = false,
        }
    }
}
