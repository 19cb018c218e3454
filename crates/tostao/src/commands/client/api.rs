//! The API, as an integrator's program calls it.

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use db::hex::hex;
use db::source::Sources;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use hyper::{HeaderMap, Method, Request, Response};
use serde_json::Value;
use tokio::time::sleep;
use url::{Host, Url};

use crate::commands::client::failure::{Failure, not_reached};
use crate::commands::client::terminal::{Output, Terminal};
use crate::commands::http_client::{Answer, HttpClient, NoAnswer};
use crate::commands::language::LanguageArgs;
use crate::commands::text_file::read_file;
use crate::platform::messages::Lang;
use crate::platform::system_clock;

/// Where a server is unless the command line says otherwise.
pub const SERVER: &str = "http://127.0.0.1:8080";
const JSON: &str = "application/json";
/// How often a request is sent, and how long it waits in between.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(500);
/// A server that asks for more is refusing.
const PAUSE_MAX: Duration = Duration::from_secs(61);

/// How a command prints.
#[derive(Debug, Clone, Args)]
pub struct PrintArgs {
    /// Text, or JSON with an object a line, which is never translated
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORM")]
    output: Output,
    #[command(flatten)]
    language: LanguageArgs,
}

/// The server that a command calls.
#[derive(Debug, Clone, Args)]
pub struct ServerArgs {
    /// The server's address
    #[arg(long, env = "TOSTAO_SERVER", default_value = SERVER, value_name = "URL")]
    server: Url,
    /// Allow http to another machine
    #[arg(long)]
    insecure: bool,
    /// How many seconds the server has for a response
    #[arg(long, default_value = "30", value_name = "SECONDS")]
    timeout: u64,
    #[command(flatten)]
    print: PrintArgs,
}

/// The server, and the API key that a command uses there.
#[derive(Debug, Clone, Args)]
pub struct ApiArgs {
    /// The API key, which lists of processes show; better in the environment or a file
    #[arg(long, env = "TOSTAO_API_KEY", hide_env_values = true, value_name = "KEY")]
    key: Option<String>,
    /// A file with the API key, which is used instead
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
}

/// A server, with or without a credential.
#[derive(Clone)]
pub struct Api {
    pub http: HttpClient,
    pub sources: Sources,
    server: Url,
    bearer: Option<String>,
    within: Duration,
}

impl PrintArgs {
    /// Where the command prints; a script reads English in any country.
    pub fn terminal(&self) -> Terminal {
        let lang = match self.output {
            Output::Text => self.language.chosen(),
            Output::Json => Lang::En,
        };
        Terminal { output: self.output, lang }
    }
}

impl ServerArgs {
    /// The server, without a credential.
    pub fn api(&self) -> Result<Api, Failure> {
        if !matches!(self.server.scheme(), "http" | "https") {
            return Err(Failure::Usage("--server must be an http or https address".to_owned()));
        }
        if !self.server.username().is_empty() || self.server.password().is_some() {
            return Err(Failure::Usage("--server must be without a user and password".to_owned()));
        }
        if self.server.scheme() == "http" && !self.insecure && !is_here(&self.server) {
            let message = "--server must be an https address, or one of this machine: over http \
                           others read the key; --insecure allows it";
            return Err(Failure::Usage(message.to_owned()));
        }
        Ok(Api {
            http: HttpClient::new(),
            sources: system_clock::system(),
            server: self.server.clone(),
            bearer: None,
            within: Duration::from_secs(self.timeout),
        })
    }

    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        self.print.terminal()
    }
}

impl ApiArgs {
    /// The server, with the key.
    pub fn api(&self) -> Result<Api, Failure> {
        let key = match &self.key_file {
            Some(file) => Some(read_file(file)?),
            None => self.key.clone(),
        };
        let none = || Failure::Usage(self.terminal().lang.cli_key_is_missing().to_owned());
        let bearer = Some(key.filter(|key| !key.is_empty()).ok_or_else(none)?);
        Ok(Api { bearer, ..self.server.api()? })
    }

    /// Where the command prints.
    pub fn terminal(&self) -> Terminal {
        self.server.terminal()
    }
}

impl Api {
    /// The same server with another credential.
    pub fn with(&self, bearer: &str) -> Self {
        Self { bearer: Some(bearer.to_owned()), ..self.clone() }
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.call(Method::GET, path, None).await
    }

    /// Orders. Each order has an idempotency key of its own, so that it happens once, however often
    /// it has to be sent.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Changes.
    pub async fn patch(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        self.call(Method::PATCH, path, Some(body)).await
    }

    /// Deletes.
    pub async fn delete(&self, path: &str) -> Result<Value, Failure> {
        self.call(Method::DELETE, path, None).await
    }

    /// Reads, with the headers of the response.
    pub async fn look(&self, path: &str) -> Result<(HeaderMap, Value), Failure> {
        let answer = self.exchange(Method::GET, path, None).await?;
        Ok((answer.headers.clone(), read(&answer)?))
    }

    /// Opens a stream of events.
    pub async fn stream(&self, path: &str) -> Result<Response<Incoming>, Failure> {
        self.resume(path, None).await
    }

    /// Opens a stream of events after one of them.
    pub async fn resume(
        &self,
        path: &str,
        last: Option<&str>,
    ) -> Result<Response<Incoming>, Failure> {
        let mut request = self.request(&Method::GET, path, None, "")?;
        if let Some(last) = last {
            request.headers_mut().insert("last-event-id", last.parse()?);
        }
        let opened = self.http.open(request, self.within).await;
        let response = opened.map_err(|cause| not_reached(&self.server, &cause))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let answer = self.http.read(response, self.within).await;
        Err(Failure::of(&answer.map_err(|cause| not_reached(&self.server, &cause))?))
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        read(&self.exchange(method, path, body).await?)
    }

    /// Sends a request until it has an answer that is not of the moment.
    #[expect(clippy::disallowed_methods, reason = "the server says how long to wait")]
    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, Failure> {
        let key = hex(&self.sources.random::<16>());
        let mut tries = 0;
        loop {
            let request = self.request(&method, path, body, &key)?;
            let answer = self.http.exchange(request, self.within).await;
            tries += 1;
            let pause = match &answer {
                Ok(answer) if is_passing(answer.status.as_u16()) => asked_pause(answer),
                Err(NoAnswer::Lost(_)) => PAUSE,
                _ => return answer.map_err(|cause| not_reached(&self.server, &cause)),
            };
            if tries == TRIES || pause > PAUSE_MAX {
                return answer.map_err(|cause| not_reached(&self.server, &cause));
            }
            sleep(pause).await;
        }
    }

    fn request(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Value>,
        key: &str,
    ) -> Result<Request<Full<Bytes>>, Failure> {
        let base = self.server.as_str().trim_end_matches('/');
        let mut request = Request::builder().uri(format!("{base}{path}")).header(ACCEPT, JSON);
        if let Some(bearer) = &self.bearer {
            request = request.header(AUTHORIZATION, format!("Bearer {bearer}"));
        }
        if method == Method::POST {
            request = request.header("idempotency-key", key);
        }
        let text = body.map(Value::to_string).unwrap_or_default();
        if body.is_some() {
            request = request.header(CONTENT_TYPE, JSON);
        }
        Ok(request.method(method).body(Full::new(text.into()))?)
    }
}

fn read(answer: &Answer) -> Result<Value, Failure> {
    if !answer.status.is_success() {
        return Err(Failure::of(answer));
    }
    Ok(serde_json::from_slice(&answer.body)?)
}

/// The rows of a list.
pub fn rows(mut list: Value) -> Vec<Value> {
    match list["data"].take() {
        Value::Array(rows) => rows,
        _ => Vec::new(),
    }
}

/// A text of an answer; empty if it is none.
pub fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// How long the server asks to wait.
fn asked_pause(answer: &Answer) -> Duration {
    let asked = answer.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    asked.map_or(PAUSE, Duration::from_secs)
}

/// Whether a server that refuses with this status may accept later.
pub fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 503)
}

/// Whether an address is one of this machine.
fn is_here(server: &Url) -> bool {
    match server.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
