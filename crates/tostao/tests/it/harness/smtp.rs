//! An SMTP server that accepts, refuses, hangs or breaks off as a story wants.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tostao::platform::config::Settings;

use crate::harness::{TestApp, story_where};

/// The answer to a greeting: what the server can do.
const HELLO: &str = "250-mail.example\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME";

/// A running server; it ends with the test.
pub struct SmtpServer {
    pub port: u16,
    desk: Arc<Mutex<Desk>>,
    server: JoinHandle<()>,
}

/// A mail as it arrived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrived {
    pub from: String,
    pub to: String,
    /// Headers and parts, as they were sent.
    pub source: String,
}

/// Where in the conversation something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Greeting,
    Hello,
    Login,
    From,
    To,
    Data,
    /// After the text.
    Text,
}

/// What the server does with one connection, instead of accepting the mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    Answer(Stage, u16),
    Hang(Stage),
    /// Takes the mail and breaks off without an answer.
    Lose,
}

#[derive(Default)]
struct Desk {
    deeds: VecDeque<Deed>,
    arrived: Vec<Arrived>,
    /// Every line that was received, except for texts.
    commands: Vec<String>,
}

struct Conversation {
    stream: TcpStream,
    read: Vec<u8>,
}

/// Runs a story on a product that sends its mails to a server on this machine.
pub fn story_with_mail(report: impl AsyncFnOnce(&TestApp, SmtpServer)) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.set_nonblocking(true).expect("can be set");
    let port = listener.local_addr().expect("is bound").port();
    story_where(sending_to(port), async move |test: &TestApp| {
        let listener = TcpListener::from_std(listener).expect("is taken over");
        report(test, SmtpServer::on(listener)).await;
    });
}

impl SmtpServer {
    /// Starts one.
    pub async fn start() -> Self {
        Self::start_at(0).await
    }

    /// Starts one on a port.
    pub async fn start_at(port: u16) -> Self {
        Self::on(TcpListener::bind(("127.0.0.1", port)).await.expect("the port is free"))
    }

    #[expect(clippy::disallowed_methods, reason = "the server runs beside the test")]
    fn on(listener: TcpListener) -> Self {
        let port = listener.local_addr().expect("is bound").port();
        let desk = Arc::<Mutex<Desk>>::default();
        let shared = desk.clone();
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone()));
            }
        });
        Self { port, desk, server }
    }

    /// What the server does with the next connections, one after the other.
    pub fn prepare(&self, deeds: &[Deed]) {
        self.desk().deeds.extend(deeds);
    }

    /// The mails that arrived since the last look.
    pub fn take(&self) -> Vec<Arrived> {
        std::mem::take(&mut self.desk().arrived)
    }

    /// The only mail that arrived since the last look.
    #[track_caller]
    pub fn take_one(&self) -> Arrived {
        let mut arrived = self.take();
        assert_eq!(arrived.len(), 1, "{arrived:?}");
        arrived.remove(0)
    }

    /// Every command that was received.
    pub fn commands(&self) -> Vec<String> {
        self.desk().commands.clone()
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().expect("no test panics in it")
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// How long the product waits for the server.
const SENT_WITHIN: Duration = Duration::from_millis(500);

/// Lets a product send its mails to a port of this machine.
pub fn sending_to(port: u16) -> impl FnOnce(&mut Settings) {
    move |settings| {
        let url = format!("smtp://loja:hush%2Dhush@127.0.0.1:{port}");
        settings.mail.smtp_url = Some(url);
        let from = "Tostão <contato@tostao.example>";
        settings.mail.mail_from = Some(from.parse().expect("is an address"));
        settings.mail.sent_within = SENT_WITHIN;
    }
}

impl Arrived {
    /// A header, unfolded and decoded.
    pub fn header(&self, name: &str) -> String {
        let head = self.source.split("\r\n\r\n").next().expect("has a head");
        let head = head.replace("\r\n ", " ");
        let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        decoded_words(line.unwrap_or_default())
    }

    /// The plain text.
    pub fn text(&self) -> String {
        self.part("text/plain")
    }

    /// The HTML.
    pub fn html(&self) -> String {
        self.part("text/html")
    }

    /// The address in the text that begins so.
    pub fn link(&self, start: &str) -> String {
        let text = self.text();
        let line = text.lines().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("no {start} in {text}")).to_owned()
    }

    fn part(&self, kind: &str) -> String {
        let mut parts = self.source.split("\r\n--part-");
        let part = parts.find(|part| part.contains(&format!("Content-Type: {kind}")));
        let part = part.unwrap_or_else(|| panic!("no {kind} in {}", self.source));
        let (head, body) = part.split_once("\r\n\r\n").expect("has a head");
        let body = if head.contains("quoted-printable") {
            String::from_utf8(quoted(body.replace("=\r\n", "").as_bytes())).expect("is text")
        } else if head.contains("base64") {
            base64_text(&body.replace("\r\n", ""))
        } else {
            body.to_owned()
        };
        body.replace("\r\n", "\n")
    }
}

async fn serve(stream: TcpStream, desk: Arc<Mutex<Desk>>) {
    let deed = desk.lock().expect("no test panics in it").deeds.pop_front();
    let mut conversation = Conversation { stream, read: Vec::new() };
    let mut mail = Arrived::default();
    if conversation.answer(deed, Stage::Greeting, "220 mail.example ESMTP").await.is_none() {
        return;
    }
    while let Some(line) = conversation.line().await {
        let word = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
        desk.lock().expect("no test panics in it").commands.push(line.clone());
        let (stage, usual) = match word.as_str() {
            "EHLO" => (Stage::Hello, HELLO),
            "AUTH" => (Stage::Login, "235 welcome"),
            "MAIL" => (Stage::From, "250 fine"),
            "RCPT" => (Stage::To, "250 fine"),
            "DATA" => (Stage::Data, "354 go on"),
            _ => break,
        };
        let address = || line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
        match stage {
            Stage::From => mail.from = address(),
            Stage::To => mail.to = address(),
            _ => {}
        }
        let Some(is_accepted) = conversation.answer(deed, stage, usual).await else { return };
        if stage == Stage::Data && is_accepted {
            let Some(source) = conversation.text().await else { return };
            mail.source = source;
            let refuses = matches!(deed, Some(Deed::Answer(Stage::Text, code)) if code >= 400);
            if !refuses {
                desk.lock().expect("no test panics in it").arrived.push(mail.clone());
            }
            if deed == Some(Deed::Lose) {
                return;
            }
            conversation.answer(deed, Stage::Text, "250 taken").await;
        }
    }
    let _ = conversation.stream.write_all(b"221 bye\r\n").await;
}

impl Conversation {
    /// Answers as usual or as was prepared; `None` once nothing is answered any more.
    async fn answer(&mut self, deed: Option<Deed>, stage: Stage, usual: &str) -> Option<bool> {
        let (line, accepts) = match deed {
            Some(Deed::Hang(at)) if at == stage => {
                // Until the other side has lost its patience.
                while self.stream.read_buf(&mut self.read).await.ok()? > 0 {}
                return None;
            }
            Some(Deed::Answer(at, code)) if at == stage => {
                (format!("{code} <a secret of the server>"), code < 400)
            }
            _ => (usual.to_owned(), true),
        };
        self.stream.write_all(format!("{line}\r\n").as_bytes()).await.ok()?;
        Some(accepts)
    }

    async fn line(&mut self) -> Option<String> {
        self.until(b"\r\n").await
    }

    /// A mail's text, without the dots that protect lines.
    async fn text(&mut self) -> Option<String> {
        let text = self.until(b"\r\n.\r\n").await?;
        Some(text.replace("\r\n..", "\r\n."))
    }

    async fn until(&mut self, end: &[u8]) -> Option<String> {
        loop {
            if let Some(at) = self.read.windows(end.len()).position(|window| window == end) {
                let rest = self.read.split_off(at + end.len());
                let mut line = std::mem::replace(&mut self.read, rest);
                line.truncate(at);
                return String::from_utf8(line).ok();
            }
            if self.stream.read_buf(&mut self.read).await.ok()? == 0 {
                return None;
            }
        }
    }
}

/// Decodes the words of a header that are not ASCII.
fn decoded_words(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some((before, word)) = rest.split_once("=?") {
        // White space between two words is none.
        text.push_str(if before.trim().is_empty() { "" } else { before });
        let mut fields = word.splitn(3, '?');
        let (_, how, after) = (fields.next(), fields.next(), fields.next().unwrap_or_default());
        let (word, after) = after.split_once("?=").expect("the word ends");
        text.push_str(&match how {
            Some("b" | "B") => base64_text(word),
            _ => String::from_utf8(quoted(word.replace('_', " ").as_bytes())).expect("is text"),
        });
        rest = after;
    }
    text + rest
}

fn quoted(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *first == b'=');
        let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    bytes
}

fn base64_text(text: &str) -> String {
    use base64::Engine;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).expect("is base64");
    String::from_utf8(bytes).expect("is text")
}
