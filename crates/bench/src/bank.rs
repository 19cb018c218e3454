//! A fake of a bank in a process of its own, and the product connected to it.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context, Result};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::client::{Connection, Request, Transport};
use crate::place::RunFolder;
use crate::server::{Server, create_administrator};
use crate::shop::{PASSWORD, bearer};

/// The operator's key at the bank.
pub const KEY: &str = "caixa@example.com";

const ADMINISTRATOR: &str = "admin@example.com";
/// `client` and `secret`, as HTTP has them: the fake knows every application.
const BASIC: &str = "Basic Y2xpZW50OnNlY3JldA==";

/// A running fake bank; dropping this stops it.
pub struct Bank {
    /// Where the workload says what happens at the bank.
    pub control: SocketAddr,
    /// Where the product calls the bank.
    pub api: SocketAddr,
    charges: SocketAddr,
    ca: String,
    client: String,
    _process: Child,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
}

#[derive(Deserialize)]
struct Added {
    data: Connected,
}

/// The product's connection with the bank.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Connected {
    id: String,
    notices_url: String,
}

impl Bank {
    /// Starts a bank, on the generator's core: a real one costs the server nothing but its network.
    pub async fn open(place: &RunFolder) -> Result<Self> {
        let folder = place.folder().join("bank");
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["helper", "bank"]).arg(&folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().context("the fake bank cannot be started")?;
        let output = process.stdout.take().context("the fake bank has no output")?;
        let line = BufReader::new(output).lines().next_line().await?;
        let line = line.context("the fake bank ended")?;
        let mut addresses = line.split(' ').map(str::parse);
        let mut next = || addresses.next().context("the fake bank has too few addresses");
        let (control, api, charges) = (next()??, next()??, next()??);
        let read = |name: &str| std::fs::read_to_string(folder.join(name));
        let (ca, client) = (read("ca.pem")?, read("client-good.both.pem")?);
        Ok(Self { control, api, charges, ca, client, _process: process })
    }

    /// Starts the product with this bank for PIX charges; returns the path of its address for
    /// notices, too.
    pub async fn connect(
        &self,
        start: impl AsyncFnOnce() -> Result<Server>,
        place: &RunFolder,
    ) -> Result<(Server, String)> {
        create_administrator(place, ADMINISTRATOR, PASSWORD).await?;
        let server = start().await?;
        let mut connection = Connection::open(server.address).await?;
        let bearer = bearer(&mut connection, ADMINISTRATOR).await?;
        let headers = [("authorization", bearer.as_str()), ("x-dev-mode", "false")];
        let body = json!({
            "name": "bank", "profile": "efi", "environment": "production",
            "values": {
                "client_id": "client", "client_secret": "secret", "certificate": self.client,
                "pix_key": KEY, "authority": self.ca,
                "address": format!("https://localhost:{}", self.api.port()),
                "charges_address": format!("https://localhost:{}", self.charges.port()),
            },
        });
        let path = "/api/admin/connections";
        let request = Request::post(path, &headers, body.to_string().as_bytes());
        let added: Added = connection.send(&request).await?.expect(201)?.json()?;
        let Connected { id, notices_url } = added.data;
        let body = json!({ "connectionId": id, "acceptTestMoney": true }).to_string();
        let path = "/api/admin/connection-routes/pix";
        connection.send(&Request::put(path, &headers, body.as_bytes())).await?.expect(200)?;
        let at = notices_url.find("/providers/").context("notices have no address")?;
        Ok((server, notices_url[at..].to_owned()))
    }

    /// Says what happens at the bank.
    pub async fn at(&self, path: &str, body: &Value) -> Result<()> {
        at(&mut Connection::open(self.control).await?, path, body).await.map(drop)
    }

    /// A client's side of TLS with the bank, with the operator's certificate.
    pub fn tls(&self) -> Result<Arc<ClientConfig>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.ca.as_bytes())?)?;
        let own = CertificateDer::from_pem_slice(self.client.as_bytes())?;
        let key = PrivateKeyDer::from_pem_slice(self.client.as_bytes())?;
        let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let builder = builder.with_safe_default_protocol_versions()?.with_root_certificates(roots);
        Ok(Arc::new(builder.with_client_auth_cert(vec![own], key)?))
    }

    /// What an `Authorization` header of the bank's API has.
    pub async fn bearer(&self) -> Result<String> {
        let mut connection = Connection::open_tls(self.api, self.tls()?).await?;
        let body = br#"{"grant_type":"client_credentials"}"#;
        let request = Request::post("/oauth/token", &[("authorization", BASIC)], body);
        let granted: Granted = connection.send(&request).await?.expect(200)?.json()?;
        Ok(format!("Bearer {}", granted.access_token))
    }
}

/// Says what happens at the bank, over an open connection; returns its answer.
pub async fn at(connection: &mut Connection, path: &str, body: &Value) -> Result<Value> {
    let request = Request::post(path, &[], body.to_string().as_bytes());
    connection.send(&request).await?.expect(200)?.json()
}
