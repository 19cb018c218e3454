//! The product's metrics, read where operators read them. All tests of a binary share one recorder,
//! so each looks for labels that no other one has.

use std::sync::OnceLock;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tostao::platform::http::metrics::serve;
use tostao::platform::telemetry::{MetricsHandle, install_metrics};

static RECORDER: OnceLock<MetricsHandle> = OnceLock::new();
/// How often a number is read that is about to change.
const READS_MAX: u32 = 5_000;

/// The recorded metrics.
pub struct Metrics(&'static MetricsHandle);

impl Metrics {
    /// Records them from now on.
    pub fn start() -> Self {
        Self(RECORDER.get_or_init(|| install_metrics().expect("no recorder is installed")))
    }

    /// A number, by its name and labels, from `GET /metrics`.
    pub async fn read(&self, number: &str) -> Option<f64> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("has an address");
        let ask = async {
            let mut server = TcpStream::connect(address).await.expect("connects");
            let request = b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
            server.write_all(request).await.expect("is sent");
            let mut answer = String::new();
            server.read_to_string(&mut answer).await.expect("is text");
            answer
        };
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let served = serve(listener, self.0.clone(), async {
            let _ = stopped.await;
        });
        let ask = async {
            let answer = ask.await;
            drop(stop);
            answer
        };
        let (answer, ()) = tokio::join!(ask, served);
        let line = answer.lines().find_map(|line| line.strip_prefix(number)?.strip_prefix(' '));
        line.map(|number| number.trim().parse().expect("is a number"))
    }

    /// Reads a number until it is this.
    pub async fn until(&self, number: &str, expected: f64) {
        let mut last = None;
        for _ in 0..READS_MAX {
            last = self.read(number).await;
            if last == Some(expected) {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("{number} is {last:?}");
    }
}
