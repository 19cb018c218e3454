//! A listener of the server: its deliveries one after the other, and the answers to them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::commands::client::Done;
use crate::commands::client::api::Api;
use crate::commands::client::failure::Failure;
use crate::commands::client::forward::Forwarded;
use crate::commands::client::sse::Events;
use crate::webhooks::secret::Secret;

const LISTENERS: &str = "/api/dev/listeners";
/// The name of an event that is a delivery.
const DELIVERY: &str = "delivery";
/// The name of the last event of a connection that gives way to a newer one.
const REPLACED: &str = "replaced";

/// A listener that was opened.
pub struct Listener {
    pub id: String,
    pub secret: String,
}

/// One delivery.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    pub event_id: String,
    pub event: String,
    pub series: i64,
    pub headers: BTreeMap<String, String>,
    /// The exact bytes that are signed.
    pub body: String,
}

/// The deliveries of one connection.
pub struct Connection(Events);

impl Delivery {
    /// The same with the signatures of another secret.
    pub fn signed_by(mut self, secret: &Secret) -> Self {
        let header = |name: &str| self.headers.get(name).map_or("", String::as_str);
        let seconds = header("webhook-timestamp").parse().unwrap_or_default();
        let message = secret.sign_message(header("webhook-id"), seconds, &self.body);
        let own = secret.sign_body(&self.body);
        let signatures = [
            ("webhook-signature", message),
            ("x-webhook-signature", own.clone()),
            ("x-service-signature", own),
        ];
        self.headers.extend(signatures.map(|(name, signature)| (name.to_owned(), signature)));
        self
    }

    /// Its headers without any that would speak for the connection.
    pub fn signed_headers(&self) -> impl Iterator<Item = (&String, &String)> {
        let is_known = |name: &str| {
            let own = ["content-type", "user-agent", "x-service-signature"];
            own.contains(&name) || name.starts_with("webhook-") || name.starts_with("x-webhook-")
        };
        self.headers.iter().filter(move |(name, _)| is_known(name.as_str()))
    }
}

impl Listener {
    /// Opens the listener of a name.
    ///
    /// Without events, one that exists keeps its own.
    pub async fn open(
        api: &Api,
        name: &str,
        events: Option<&[String]>,
        since: Option<Duration>,
    ) -> Result<Self, Failure> {
        let mut body = json!({ "name": name });
        if let Some(events) = events {
            body["events"] = json!(events);
        }
        if let Some(since) = since {
            body["sinceSeconds"] = since.as_secs().into();
        }
        let opened = api.post(LISTENERS, &body).await?;
        let text = |name: &str| opened["data"][name].as_str().unwrap_or_default().to_owned();
        Ok(Self { id: text("id"), secret: text("secret") })
    }

    /// Connects to its deliveries.
    pub async fn connect(&self, api: &Api) -> Result<Connection, Failure> {
        let path = format!("{LISTENERS}/{}/deliveries", self.id);
        Ok(Connection(Events::of(api.stream(&path).await?)))
    }

    /// Says what became of a delivery.
    pub async fn answer(&self, api: &Api, delivery: &Delivery, forwarded: &Forwarded) -> Done {
        let path = format!("{LISTENERS}/{}/deliveries/{}", self.id, delivery.event_id);
        let Forwarded { status, ms, excerpt, error } = forwarded;
        let mut body = json!({ "series": delivery.series, "status": status, "ms": ms });
        if let Some(error) = error {
            body["error"] = error.code().into();
        }
        let bare = body.clone();
        body["excerpt"] = excerpt.clone().into();
        match api.post(&path, &body).await {
            // The server takes no text in which a card's number may stand.
            Err(Failure::Refused(refusal)) if refusal.status == 400 => {
                api.post(&path, &bare).await.map(drop)
            }
            answered => answered.map(drop),
        }
    }
}

impl Connection {
    /// The next delivery; `None` when the connection ends.
    pub async fn next(&mut self) -> Result<Option<Delivery>, Failure> {
        while let Some(event) = self.0.next().await {
            match event.name.as_str() {
                DELIVERY => return Ok(Some(serde_json::from_str(&event.data)?)),
                REPLACED => return Err(Failure::Replaced),
                _ => {}
            }
        }
        Ok(None)
    }
}
