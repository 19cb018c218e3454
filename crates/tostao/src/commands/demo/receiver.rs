//! A webhook receiver as a merchant would write one: it checks the signature by itself.
//!
//! It shares no code with the sender; the two agree on nothing but the documented rule.

use std::convert::Infallible;
use std::future::Future;

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::unfold;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::Sender;

const BODY_BYTES_MAX: usize = 1024 * 1024;
const CONNECTIONS_MAX: usize = 16;

/// An event that arrived.
#[derive(Debug)]
pub struct Delivery {
    pub event: String,
    signature: String,
    body: Bytes,
}

impl Delivery {
    /// Whether the body was signed with a secret.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let signature = STANDARD.decode(&self.signature).unwrap_or_default();
        hmac::verify(&key, &self.body, &signature).is_ok()
    }

    /// The body, as it was signed.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

/// Takes deliveries in until `stop` resolves.
pub async fn receive(
    listener: TcpListener,
    inbox: Sender<Delivery>,
    stop: impl Future<Output = ()>,
) {
    let accepted = unfold(listener, async |listener| {
        let accepted = listener.accept().await;
        Some((accepted, listener))
    });
    let served = accepted.for_each_concurrent(CONNECTIONS_MAX, |accepted| {
        let inbox = inbox.clone();
        async move {
            if let Ok((stream, _)) = accepted {
                serve(stream, &inbox).await;
            }
        }
    });
    tokio::select! {
        () = served => {}
        () = stop => {}
    }
}

async fn serve(stream: TcpStream, inbox: &Sender<Delivery>) {
    let answer = service_fn(async |request| Ok::<_, Infallible>(answer(request, inbox).await));
    let mut connection = http1::Builder::new();
    let connection = connection.keep_alive(false).serve_connection(TokioIo::new(stream), answer);
    if let Err(error) = connection.await {
        tracing::warn!(%error, "a delivery was cut off");
    }
}

/// Says 200 once the event is kept; anything else makes the sender come again.
async fn answer(request: Request<Incoming>, inbox: &Sender<Delivery>) -> Response<Full<Bytes>> {
    let status = match read(request).await.map(|delivery| inbox.try_send(delivery)) {
        None => StatusCode::BAD_REQUEST,
        Some(Err(_)) => StatusCode::SERVICE_UNAVAILABLE,
        Some(Ok(())) => StatusCode::OK,
    };
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

async fn read(request: Request<Incoming>) -> Option<Delivery> {
    let (head, body) = request.into_parts();
    let text = |name: &str| Some(head.headers.get(name)?.to_str().ok()?.to_owned());
    let (event, signature) = (text("x-webhook-event")?, text("x-webhook-signature")?);
    let body = Limited::new(body, BODY_BYTES_MAX).collect().await.ok()?.to_bytes();
    Some(Delivery { event, signature, body })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::Delivery;

    /// The signature was computed with Python's `hmac`.
    #[test]
    fn only_the_body_that_was_signed_passes() {
        let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
        let delivery = |body: &'static str, signature: &str| Delivery {
            event: "transaction.paid".into(),
            signature: signature.into(),
            body: Bytes::from_static(body.as_bytes()),
        };
        let (body, signature) =
            (r#"{"id":"evt","data":{"price":1}}"#, "S5ZYueAfK9bmDYl5NUp9Lk5O+2CQCo2dWXhSXj9ZpMk=");
        assert!(delivery(body, signature).is_signed_with(secret));
        assert!(!delivery(r#"{"id":"evt","data":{"price":2}}"#, signature).is_signed_with(secret));
        assert!(!delivery(body, signature).is_signed_with("whsec_other"));
        assert!(!delivery(body, "not base64").is_signed_with(secret));
    }
}
