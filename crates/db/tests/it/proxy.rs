//! A proxy to the server that can lose the response to a commit, or change it, and that can refuse
//! to begin a transaction.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub struct Proxy {
    pub address: String,
    /// What is sent instead of the response to the next commit, before the connection ends.
    instead: Instead,
    /// What answers the next `begin`, which the server does not see; the connection goes on.
    begin: Instead,
}

type Instead = Arc<Mutex<Option<Vec<u8>>>>;

impl Proxy {
    /// Listens on a free port and forwards everything to `server`, until it is set not to.
    #[expect(clippy::disallowed_methods, reason = "the proxy serves beside the test")]
    pub async fn start(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (instead, begin) = (Instead::default(), Instead::default());
        let (sent, refusal) = (instead.clone(), begin.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(pass(client, server, sent.clone(), refusal.clone()));
            }
        });
        Self { address, instead, begin }
    }

    /// From now on the first commit reaches the server, and its response is lost.
    pub fn lose_the_next_commit(&self) {
        self.instead.lock().unwrap().replace(Vec::new());
    }

    /// The same, with a server's error of this severity instead of the response.
    pub fn end_at_the_next_commit(&self, severity: &str) {
        // Its code is one with which the server refuses statements, too.
        self.answer_the_next_commit(&format!("S{severity}\0V{severity}\0C58030\0"));
    }

    /// The same, with the error of a pooler that has lost the server.
    pub fn lose_the_server_at_the_next_commit(&self) {
        self.answer_the_next_commit("SFATAL\0C08P01\0");
    }

    fn answer_the_next_commit(&self, fields: &str) {
        self.instead.lock().unwrap().replace(error(fields));
    }

    /// From now on the first `begin` gets an error of this severity, as from a pooler that has no
    /// server for it; it has one for what follows.
    pub fn refuse_the_next_begin(&self, severity: &str) {
        const READY: &[u8] = b"Z\0\0\0\x05I";
        let error = error(&format!("S{severity}\0V{severity}\0C58000\0"));
        self.begin.lock().unwrap().replace([&error, READY].concat());
    }
}

fn error(fields: &str) -> Vec<u8> {
    let fields = format!("{fields}Mcould not write\0\0");
    let length = u32::try_from(4 + fields.len()).unwrap().to_be_bytes();
    [b"E".as_slice(), length.as_slice(), fields.as_bytes()].concat()
}

async fn pass(mut client: TcpStream, mut server: TcpStream, instead: Instead, begin: Instead) {
    let (mut up, mut down) = (vec![0; 65_536], vec![0; 65_536]);
    loop {
        tokio::select! {
            read = client.read(&mut up) => {
                let Ok(size @ 1..) = read else { return };
                let mut passed = &up[..size];
                let is_begin = passed[0] == b'Q' && passed[5..].starts_with(b"begin");
                let answer = is_begin.then(|| begin.lock().unwrap().take()).flatten();
                if let Some(answer) = answer {
                    let length = passed[1..5].try_into().unwrap();
                    passed = &passed[1 + u32::from_be_bytes(length) as usize..];
                    client.write_all(&answer).await.unwrap();
                }
                if server.write_all(passed).await.is_err() {
                    return;
                }
                let is_commit = holds(&up[..size], b" commit\0");
                let answer = is_commit.then(|| instead.lock().unwrap().take()).flatten();
                if let Some(answer) = answer {
                    swallow_until_committed(server).await;
                    client.write_all(&answer).await.unwrap();
                    return;
                }
            }
            read = server.read(&mut down) => {
                let Ok(size @ 1..) = read else { return };
                if client.write_all(&down[..size]).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn swallow_until_committed(mut server: TcpStream) {
    let mut seen = Vec::new();
    while !holds(&seen, b"COMMIT\0") && server.read_buf(&mut seen).await.is_ok_and(|n| n > 0) {}
}

fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
