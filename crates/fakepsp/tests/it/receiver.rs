//! The merchant's side of notices: a server that keeps what was posted to it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use fakepsp::certificates::Authority;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::server::WebPkiClientVerifier;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

#[derive(Debug, Clone)]
pub struct Posted {
    pub path: String,
    pub head: String,
    pub body: String,
}

impl Posted {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

pub struct Receiver {
    pub address: SocketAddr,
    posted: Arc<Mutex<Vec<Posted>>>,
    _tasks: JoinSet<()>,
}

impl Receiver {
    /// Answers with the statuses in order, and with the last one from then on.
    pub async fn start(statuses: &[u16]) -> Self {
        Self::over(None, statuses).await
    }

    /// Over TLS that demands the certificate of a bank, or of none.
    pub async fn tls(authority: &Authority, demands_certificate: bool) -> Self {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider));
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let builder = if demands_certificate {
            let mut roots = RootCertStore::empty();
            let certificate = CertificateDer::from_pem_slice(authority.certificate.as_bytes());
            roots.add(certificate.unwrap()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let server = &authority.server;
        let (chain, key) = (server.chain().unwrap(), server.private_key().unwrap());
        let config = builder.with_single_cert(chain, key).unwrap();
        Self::over(Some(TlsAcceptor::from(Arc::new(config))), &[200]).await
    }

    async fn over(acceptor: Option<TlsAcceptor>, statuses: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let posted = Arc::new(Mutex::new(Vec::new()));
        let (kept, statuses) = (Arc::clone(&posted), statuses.to_vec());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                match &acceptor {
                    None => answer(stream, &kept, &statuses).await,
                    Some(acceptor) => {
                        if let Ok(stream) = acceptor.accept(stream).await {
                            answer(stream, &kept, &statuses).await;
                        }
                    }
                }
            }
        });
        Self { address, posted, _tasks: tasks }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub fn posted(&self) -> Vec<Posted> {
        self.posted.lock().unwrap().clone()
    }

    /// What came to the address that ends in `/pix`, and so is not the test of the registration.
    pub fn notices(&self) -> Vec<Value> {
        let posted = self.posted();
        posted.iter().filter(|it| it.path.ends_with("/pix")).map(Posted::json).collect()
    }
}

async fn answer<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    kept: &Mutex<Vec<Posted>>,
    statuses: &[u16],
) {
    let mut text = String::new();
    let mut buffer = [0; 4_096];
    let (head, body) = loop {
        let Ok(count) = stream.read(&mut buffer).await else { return };
        if count == 0 {
            return;
        }
        text.push_str(&String::from_utf8_lossy(&buffer[..count]));
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length = length.map_or(0, |length| length.parse().unwrap());
        if body.len() >= length {
            break (head.to_owned(), body.to_owned());
        }
    };
    let path = head.split(' ').nth(1).unwrap().to_owned();
    let status = {
        let mut kept = kept.lock().unwrap();
        let status = statuses.get(kept.len()).or(statuses.last()).copied().unwrap_or(200);
        kept.push(Posted { path, head, body });
        status
    };
    let reply = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    drop(stream.write_all(reply.as_bytes()).await);
    drop(stream.shutdown().await);
}
