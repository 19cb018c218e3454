//! A merchant's server: it takes webhooks in, and answers as it is told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What arrived.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A server on this machine that lives as long as its test.
pub struct Receiver {
    pub url: String,
    taken: Arc<Mutex<Taken>>,
    server: JoinHandle<()>,
}

#[derive(Default)]
struct Taken {
    deliveries: Vec<Delivery>,
    answers: VecDeque<(u16, HeaderMap)>,
}

impl Receiver {
    #[expect(clippy::disallowed_methods, reason = "the server runs beside the test")]
    pub async fn start() -> Self {
        let taken = Arc::<Mutex<Taken>>::default();
        let router = Router::new().route("/hook", post(take)).with_state(taken.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}/hook", listener.local_addr().expect("is bound"));
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("serves");
        });
        Self { url, taken, server }
    }

    /// Answers the next deliveries with these statuses, and 200 afterwards.
    pub fn answer(&self, statuses: &[u16]) {
        let answers = statuses.iter().map(|status| (*status, HeaderMap::new()));
        self.taken.lock().expect("no test panics in it").answers.extend(answers);
    }

    /// Answers the next delivery with a status and a header.
    pub fn answer_with(&self, status: u16, name: &'static str, value: &'static str) {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().expect("is a header's value"));
        self.taken.lock().expect("no test panics in it").answers.push_back((status, headers));
    }

    /// Everything that arrived since the last look.
    pub fn take(&self) -> Vec<Delivery> {
        std::mem::take(&mut self.taken.lock().expect("no test panics in it").deliveries)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Delivery {
    /// The envelope.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("is JSON")
    }

    /// The event's name.
    pub fn event(&self) -> String {
        self.json()["event"].as_str().expect("has a name").to_owned()
    }

    /// A header's text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

async fn take(State(taken): State<Arc<Mutex<Taken>>>, headers: HeaderMap, body: Bytes) -> Response {
    let mut taken = taken.lock().expect("no test panics in it");
    taken.deliveries.push(Delivery { headers, body });
    let (status, headers) = taken.answers.pop_front().unwrap_or((200, HeaderMap::new()));
    let status = StatusCode::from_u16(status).expect("is a status");
    (status, headers).into_response()
}
