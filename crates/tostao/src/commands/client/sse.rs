//! Server-sent events, read from a response that goes on.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::Incoming;
use tokio::time::timeout;

/// More than any event of the product.
const EVENT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Three heartbeats of the server.
const SILENCE_MAX: Duration = Duration::from_secs(45);
const END: &[u8] = b"\n\n";

/// The events of a response.
pub struct Events {
    body: Incoming,
    rest: Vec<u8>,
}

/// One event; comments are none.
#[derive(Debug, PartialEq, Eq)]
pub struct Event {
    pub name: String,
    pub data: String,
}

impl Events {
    /// Reads a response's events.
    pub fn of(response: Response<Incoming>) -> Self {
        Self { body: response.into_body(), rest: Vec::new() }
    }

    /// The next event; `None` when the connection ends.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            while let Some(end) = self.rest.windows(END.len()).position(|part| part == END) {
                let block: Vec<u8> = self.rest.drain(..end + END.len()).collect();
                if let Some(event) = read(&String::from_utf8_lossy(&block)) {
                    return Some(event);
                }
            }
            if self.rest.len() > EVENT_BYTES_MAX {
                return None;
            }
            // The server writes more often than that; a connection that is silent is dead.
            let frame = timeout(SILENCE_MAX, self.body.frame()).await.ok()??.ok()?;
            self.rest.extend_from_slice(&frame.into_data().unwrap_or_else(|_| Bytes::new()));
        }
    }
}

fn read(block: &str) -> Option<Event> {
    let (mut name, mut data) = (String::new(), Vec::new());
    for line in block.lines() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut name),
            "data" => data.push(value),
            _ => {}
        }
    }
    (!data.is_empty()).then(|| Event { name, data: data.join("\n") })
}

#[cfg(test)]
mod tests {
    use super::{Event, read};

    #[test]
    fn an_event_is_its_name_and_its_lines_of_data_and_a_comment_is_none() {
        let event = |name: &str, data: &str| Some(Event { name: name.into(), data: data.into() });
        let table = [
            ("event: delivery\ndata: {\"a\":1}\nid: 7\n\n", event("delivery", "{\"a\":1}")),
            ("data:one\ndata: two\n\n", event("", "one\ntwo")),
            (": keep-alive\n\n", None),
            ("id: 7\n\n", None),
        ];
        for (block, expected) in table {
            assert_eq!(read(block), expected, "{block:?}");
        }
    }
}
