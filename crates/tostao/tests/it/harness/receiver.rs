//! A merchant's server: it receives webhooks, and responds as configured.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Longer than a delivery that is on its way needs.
const ARRIVAL_TIME_MAX: Duration = Duration::from_secs(8);

/// What arrived.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A server on this machine that lives as long as its test.
pub struct Receiver {
    pub url: String,
    desk: Arc<Desk>,
    server: JoinHandle<()>,
}

/// Where deliveries are taken in and answers are prepared.
#[derive(Default)]
struct Desk {
    taken: Mutex<Taken>,
    /// How many have arrived in all.
    arrived: watch::Sender<usize>,
    /// Whether answers are held back.
    held: watch::Sender<bool>,
    /// Whether answers take their time, each another one.
    dawdles: AtomicBool,
}

#[derive(Default)]
struct Taken {
    deliveries: Vec<Delivery>,
    answers: VecDeque<Answer>,
    /// How many deliveries about each object wait for their answer.
    under_way: HashMap<String, usize>,
    most_under_way: usize,
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: String,
}

impl Receiver {
    #[expect(clippy::disallowed_methods, reason = "the server runs beside the test")]
    pub async fn start() -> Self {
        let desk = Arc::<Desk>::default();
        let router = Router::new().route("/hook", post(take)).with_state(desk.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}/hook", listener.local_addr().expect("is bound"));
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("serves");
        });
        Self { url, desk, server }
    }

    /// Answers the next deliveries with these statuses, and 200 afterwards.
    pub fn answer(&self, statuses: &[u16]) {
        for status in statuses {
            self.prepare(*status, HeaderMap::new(), "");
        }
    }

    /// Answers the next delivery with a status and a header.
    pub fn answer_with(&self, status: u16, name: &'static str, value: &str) {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().expect("is a header's value"));
        self.prepare(status, headers, "");
    }

    /// Answers the next delivery with a status and a text.
    pub fn answer_saying(&self, status: u16, text: &str) {
        self.prepare(status, HeaderMap::new(), text);
    }

    /// Takes deliveries in without answering them until [`Receiver::release`].
    pub fn hold(&self) {
        self.desk.held.send_replace(true);
    }

    /// Answers everything that was held back.
    pub fn release(&self) {
        self.desk.held.send_replace(false);
    }

    /// Lets each answer take another time from now on, up to 12 ms.
    pub fn dawdle(&self) {
        self.desk.dawdles.store(true, Ordering::SeqCst);
    }

    /// How many deliveries about one object were ever under way at once.
    pub fn most_about_one_object(&self) -> usize {
        self.desk.taken().most_under_way
    }

    /// Waits until so many deliveries have arrived since the start; false if they take longer.
    pub async fn arrived_within(&self, count: usize, time: Duration) -> bool {
        let mut arrived = self.desk.arrived.subscribe();
        let waited = arrived.wait_for(|arrived| *arrived >= count);
        tokio::time::timeout(time, waited).await.is_ok()
    }

    /// Waits until so many deliveries have arrived since the start.
    pub async fn arrived(&self, count: usize) {
        let mut arrived = self.desk.arrived.subscribe();
        let waited = arrived.wait_for(|arrived| *arrived >= count);
        let waited = tokio::time::timeout(ARRIVAL_TIME_MAX, waited).await;
        waited.expect("arrive in time").expect("the desk is there");
    }

    /// Everything that arrived since the last look.
    pub fn take(&self) -> Vec<Delivery> {
        std::mem::take(&mut self.desk.taken().deliveries)
    }

    /// The only delivery that arrived since the last look.
    #[track_caller]
    pub fn take_one(&self) -> Delivery {
        let mut taken = self.take();
        assert_eq!(taken.len(), 1, "{:?}", names(&taken));
        taken.remove(0)
    }

    /// The names of the events that arrived since the last look.
    pub fn take_names(&self) -> Vec<String> {
        names(&self.take())
    }

    fn prepare(&self, status: u16, headers: HeaderMap, text: &str) {
        let answer = Answer { status, headers, body: text.to_owned() };
        self.desk.taken().answers.push_back(answer);
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Delivery {
    /// The body.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

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

impl Desk {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().expect("no test panics in it")
    }
}

fn names(deliveries: &[Delivery]) -> Vec<String> {
    deliveries.iter().map(Delivery::event).collect()
}

/// Takes 0 to 12 ms, long and short ones in turn.
async fn dawdle(number: usize) {
    let mut ticks = tokio::time::interval(Duration::from_millis(1));
    for _ in 0..=(number * 7) % 13 {
        ticks.tick().await;
    }
}

async fn take(
    State(desk): State<Arc<Desk>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let delivery = Delivery { uri, headers, body };
    let object = delivery.json()["objectId"].as_str().unwrap_or_default().to_owned();
    let (answer, number) = {
        let mut taken = desk.taken();
        let under_way = taken.under_way.entry(object.clone()).or_default();
        *under_way += 1;
        let most = *under_way;
        taken.most_under_way = taken.most_under_way.max(most);
        taken.deliveries.push(delivery);
        (taken.answers.pop_front(), taken.deliveries.len())
    };
    desk.arrived.send_modify(|arrived| *arrived += 1);
    desk.held.subscribe().wait_for(|held| !held).await.expect("the desk is there");
    if desk.dawdles.load(Ordering::SeqCst) {
        dawdle(number).await;
    }
    desk.taken().under_way.entry(object).and_modify(|under_way| *under_way -= 1);
    let Some(Answer { status, headers, body }) = answer else {
        return StatusCode::OK.into_response();
    };
    (StatusCode::from_u16(status).expect("is a status"), headers, body).into_response()
}
