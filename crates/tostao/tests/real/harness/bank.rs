//! A fake of a bank, and what an operator has of it to connect it by commands.

use std::sync::Arc;
use std::time::Duration;

use fakepsp::fake::{Fake, Options};
use serde_json::{Value, json};
use tempfile::TempDir;
use tostao::app::App;
use tostao::connections::reload;
use tostao::platform::system_clock::system;
use tostao::worker::run_due;

use crate::harness::client::Client;
use crate::harness::database::settings;
use crate::harness::program::{Ended, Server, tostao};
use crate::harness::until;
use crate::harness::world::{TestClock, sources};

/// The name of the connection with it.
pub const NAME: &str = "efi-main";
/// The name of the connection with the acquirer of cards.
const ACQUIRER: &str = "pagarme-1";
pub const SECRET: &str = "a secret of the bank";

/// A fake bank, and the files that an operator has of it.
pub struct Bank {
    pub fake: Fake,
    folder: TempDir,
    texts: Vec<String>,
}

impl Bank {
    pub async fn open() -> Self {
        let fake = Fake::start(Options::default()).await.expect("the fake starts");
        let folder = tempfile::tempdir().expect("a folder can be made");
        let authority = fake.authority();
        let pem = format!("{}\n{}", authority.client.certificate, authority.client.key);
        for (name, text) in
            [("secret", SECRET), ("pem", &pem), ("ca", &authority.certificate), ("wrong", "wrong")]
        {
            std::fs::write(folder.path().join(name), text).expect("writes");
        }
        let port = fake.addresses().tls_client.expect("listens").port();
        let charges = fake.addresses().tls.expect("listens").port();
        let texts = vec![
            "client_id=the client".to_owned(),
            "pix_key=caixa@example.com".to_owned(),
            format!("address=https://localhost:{port}"),
            format!("charges_address=https://localhost:{charges}"),
        ];
        Self { fake, folder, texts }
    }

    /// A database with a connection that takes PIX charges, boletos and payouts, and its bank.
    pub async fn connected(database_url: &str) -> Self {
        Server::start(database_url).await.stop().await;
        let bank = Self::open().await;
        run(database_url, &bank.words("secret")).await.good();
        for rail in ["pix", "payout", "boleto"] {
            let words = ["connections", "route", rail, NAME, "--accept-test-money"];
            tostao(database_url, &words).await.good();
        }
        bank
    }

    /// Connects the acquirer that the fake is, too, and has it charge the cards.
    pub async fn with_cards(self, database_url: &str) -> Self {
        let at = |port: u16| format!("address=https://localhost:{port}");
        let address = at(self.fake.addresses().tls.expect("listens").port());
        std::fs::write(self.folder.path().join("acquirer"), "sk_1").expect("writes");
        let (key, authority) = (self.file("acquirer"), self.file("ca"));
        let texts = ["public_key=pk_1", &address, &format!("notice_keys_{address}")];
        let files = [format!("secret_key={key}"), format!("authority={authority}")];
        let mut words = vec!["connections", "add", ACQUIRER, "--profile", "pagarme"];
        words.extend(texts.iter().flat_map(|text| ["--set", text]));
        words.extend(files.iter().flat_map(|file| ["--file", file]));
        tostao(database_url, &words).await.good();
        let words = ["connections", "route", "card", ACQUIRER, "--accept-test-money"];
        tostao(database_url, &words).await.good();
        self
    }

    /// Types a card that is approved, as the page's script does in a buyer's browser.
    pub async fn card_token(&self) -> String {
        let card = json!({
            "number": "4000000000000010", "holder_name": "ANA SOUZA", "exp_month": 12,
            "exp_year": 2030, "cvv": "123",
        });
        let acquirer = Client::new(self.fake.addresses().plain.expect("listens"));
        let body = json!({ "type": "card", "card": card });
        let token = acquirer.post("/core/v5/tokens?appId=pk_1", body).await.expect(200);
        token["id"].as_str().expect("has one").to_owned()
    }

    /// Waits until the server has registered its address for notices.
    pub async fn has_our_address(&self) {
        until("the bank has the address for notices", async || {
            let state = self.fake.admin("GET", "/__state", &Value::Null).await.expect("answers");
            let hooks = state.1["efi"]["pix"]["webhooks"].as_object().cloned();
            hooks.filter(|hooks| !hooks.is_empty()).map(drop)
        })
        .await;
    }

    pub fn file(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    /// The words that add it, with the secret from a file.
    pub fn words(&self, secret: &str) -> Vec<String> {
        let mut words: Vec<_> =
            ["connections", "add", NAME, "--profile", "efi"].map(str::to_owned).to_vec();
        for text in &self.texts {
            words.extend(["--set".to_owned(), text.clone()]);
        }
        for (field, name) in
            [("client_secret", secret), ("certificate", "pem"), ("authority", "ca")]
        {
            words.extend(["--file".to_owned(), format!("{field}={}", self.file(name))]);
        }
        words
    }

    /// The file that `apply` reads.
    pub fn wanted(&self) -> String {
        let line = |text: &String| {
            let (field, value) = text.split_once('=').expect("is a pair");
            format!("{field} = \"{value}\"\n")
        };
        let values: String = self.texts.iter().map(line).collect();
        format!(
            "accept_test_money = true\n\n[connections.{NAME}]\nprofile = \"efi\"\n\n\
             [connections.{NAME}.values]\n{values}\n\
             [connections.{NAME}.files]\nclient_secret = \"{}\"\ncertificate = \"{}\"\n\
             authority = \"{}\"\n\n[routes]\npix = \"{NAME}\"\n",
            self.file("secret"),
            self.file("pem"),
            self.file("ca"),
        )
    }
}

/// Runs what will be due after a while, in place of the server that has stopped.
pub async fn run_what_is_due_after(database_url: &str, span: Duration) {
    let later = system().now().plus(span);
    let sources = sources(Arc::new(TestClock::at(later)));
    let app = App::open(settings(database_url), sources).expect("opens");
    reload(&app).await.expect("reads the connections");
    run_due(&app).await.expect("jobs run");
}

/// Runs a command to its end.
pub async fn run(database_url: &str, words: &[String]) -> Ended {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    tostao(database_url, &words).await
}
