//! A client that writes and reads bytes, so that spoiled answers are seen as they are.

use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fakepsp::certificates::Identity;
use fakepsp::fake::{Fake, Options};
use fakepsp::settings::Settings;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

pub const KEY: &str = "71cdf9ba-c695-4e3c-b010-abb521a3f1be";
pub const TXID: &str = "7978c0c97ea847e78e8849634473c1f1";
pub const NOON: &str = "2026-11-23T15:00:00Z";

pub struct Bank {
    pub fake: Fake,
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Status and the name of an error in Efí's form.
    pub fn refusal(&self) -> (u16, String) {
        let name = self.json()["nome"].as_str().unwrap_or_default().to_owned();
        (self.status, name)
    }
}

/// One request, before it is sent.
#[derive(Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Request {
    pub fn new(method: &str, path: &str) -> Self {
        let (method, path) = (method.to_owned(), path.to_owned());
        Self { method, path, headers: Vec::new(), body: String::new() }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn json(mut self, body: &Value) -> Self {
        self.body = body.to_string();
        self.header("content-type", "application/json")
    }

    pub fn form(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self.header("content-type", "application/x-www-form-urlencoded")
    }

    pub fn bearer(self, token: &str) -> Self {
        let value = format!("Bearer {token}");
        self.header("authorization", &value)
    }

    pub fn basic(self, user: &str, password: &str) -> Self {
        let value = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        self.header("authorization", &value)
    }
}

impl Bank {
    pub async fn start() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn set(settings: Settings) -> Self {
        Self::with(Options { settings, ..Options::default() }).await
    }

    /// The same ids at each run, and a clock that stands still.
    pub async fn with(options: Options) -> Self {
        let stopped_at = Some(NOON.parse().unwrap());
        let options = Options { seed: Some(1), stopped_at, ..options };
        Self { fake: Fake::start(options).await.unwrap() }
    }

    pub async fn admin(&self, path: &str, body: Value) -> Value {
        let (status, value) = self.fake.admin("POST", path, &body).await.unwrap();
        assert_eq!(status, 200, "{path} {body}: {value}");
        value
    }

    pub async fn get(&self, path: &str) -> Value {
        self.fake.admin("GET", path, &Value::Null).await.unwrap().1
    }

    pub async fn fault(&self, rule: Value) {
        self.admin("/__fault", rule).await;
    }

    /// How many requests of the operation came in.
    pub async fn count(&self, operation: &str) -> usize {
        let entries = self.get(&format!("/__log?operation={operation}")).await;
        entries.as_array().unwrap().len()
    }

    pub fn client(&self, identity: Option<&Identity>) -> TlsConnector {
        connector(&self.fake.authority().certificate, identity)
    }

    /// A request with the good client certificate, to Efí's API Pix or Inter.
    pub async fn mutual(&self, request: Request) -> Result<Answer, String> {
        let connector = self.client(Some(&self.fake.authority().client));
        exchange_tls(self.fake.addresses().tls_client.unwrap(), &connector, request).await
    }

    /// A request without a certificate, to Cobranças or Pagar.me.
    pub async fn tls(&self, request: Request) -> Result<Answer, String> {
        let connector = self.client(None);
        exchange_tls(self.fake.addresses().tls.unwrap(), &connector, request).await
    }

    pub async fn plain(&self, request: Request) -> Result<Answer, String> {
        exchange_plain(self.fake.addresses().plain.unwrap(), request).await
    }

    pub async fn efi_token(&self) -> String {
        let request = Request::new("POST", "/oauth/token").basic("client", "secret");
        let request = request.json(&json!({ "grant_type": "client_credentials" }));
        let answer = self.mutual(request).await.unwrap();
        answer.json()["access_token"].as_str().unwrap().to_owned()
    }

    pub async fn efi(&self, method: &str, path: &str, body: Value) -> Answer {
        let request = Request::new(method, path).bearer(&self.efi_token().await);
        let request = if body.is_null() { request } else { request.json(&body) };
        self.mutual(request).await.unwrap()
    }

    pub async fn charge(&self, txid: &str, amount: &str) -> Answer {
        self.efi("PUT", &format!("/v2/cob/{txid}"), charge(amount)).await
    }

    /// Pays the usual charge and returns the end-to-end id.
    pub async fn paid(&self, amount: &str) -> String {
        assert_eq!(self.charge(TXID, amount).await.status, 201);
        let paid = self.admin("/__pay", json!({ "dialect": "efi", "charge": TXID })).await;
        paid["e2e"][0].as_str().unwrap().to_owned()
    }

    /// Registers an address for the account's key without the proof of mutual TLS.
    pub async fn listen(&self, url: &str) {
        let request = Request::new("PUT", &format!("/v2/webhook/{KEY}"));
        let request = request.header("x-skip-mtls-checking", "true");
        let request = request.bearer(&self.efi_token().await).json(&json!({ "webhookUrl": url }));
        let answer = self.mutual(request).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
}

pub fn charge(amount: &str) -> Value {
    json!({
        "calendario": { "expiracao": 3600 },
        "devedor": { "cpf": "12345678909", "nome": "Francisco da Silva" },
        "valor": { "original": amount },
        "chave": KEY,
        "solicitacaoPagador": "Pedido 42",
    })
}

pub fn connector(authority: &str, identity: Option<&Identity>) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let builder = builder.with_root_certificates(roots);
    let config = match identity {
        None => builder.with_no_client_auth(),
        Some(identity) => {
            let (chain, key) = (identity.chain().unwrap(), identity.private_key().unwrap());
            builder.with_client_auth_cert(chain, key).unwrap()
        }
    };
    TlsConnector::from(Arc::new(config))
}

pub async fn exchange_tls(
    address: SocketAddr,
    connector: &TlsConnector,
    request: Request,
) -> Result<Answer, String> {
    let stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
    let name = ServerName::try_from("localhost").unwrap();
    let stream = connector.connect(name, stream).await.map_err(|error| error.to_string())?;
    exchange(stream, request).await
}

pub async fn exchange_plain(address: SocketAddr, request: Request) -> Result<Answer, String> {
    let stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
    exchange(stream, request).await
}

async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    request: Request,
) -> Result<Answer, String> {
    let Request { method, path, headers, body } = request;
    let lines: Vec<String> =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let headers = lines.concat();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\
         content-length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.map_err(|it| it.to_string())?;
    let mut bytes = Vec::new();
    let ended = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let ended = ended.map_or_else(|error| error.to_string(), |_| "closed".to_owned());
    parse(&text).ok_or_else(|| format!("cut after {} bytes: {text}: {ended}", bytes.len()))
}

/// Nothing unless the body is as long as the head says.
fn parse(text: &str) -> Option<Answer> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let answer = Answer { status, headers, text: body.to_owned() };
    let length = answer.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    (body.len() == length).then_some(answer)
}
