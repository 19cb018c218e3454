//! A network between the product and PostgreSQL: a proxy on loopback that holds every byte a while.
//!
//! Each direction of a connection has a thread that reads and one that writes. The reader never
//! waits for the writer, so a chunk is late by the delay and not by the chunks before it, and the
//! order is kept. They are threads because the timer of a runtime counts in milliseconds.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use url::Url;

use crate::clock;
use crate::numbers::micros;

const CHUNK_BYTES: usize = 64 * 1024;
const ROUND_TRIPS: usize = 200;

/// What was read, and when it may be written.
struct Chunk {
    bytes: Vec<u8>,
    due: Instant,
}

/// A proxy before a server; it lasts as long as the process.
#[derive(Debug, Clone, Copy)]
pub struct Network {
    /// Where clients connect.
    pub address: SocketAddr,
    /// How long a byte takes in each direction.
    pub delay: Duration,
}

impl Network {
    /// Listens, and connects every client with a server over the delay.
    pub fn open(server: SocketAddr, delay: Duration) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        start("network", move || {
            for client in listener.incoming().flatten() {
                // A client whose server is gone sees its connection closed.
                drop(connect(client, server, delay));
            }
        })?;
        Ok(Self { address, delay })
    }

    /// The median time of a byte to an echo on this machine and back, in microseconds.
    pub fn round_trip_micros(delay: Duration) -> Result<u64> {
        let echo = TcpListener::bind("127.0.0.1:0")?;
        let network = Self::open(echo.local_addr()?, delay)?;
        start("echo", move || drop(answer_one(&echo)))?;
        let mut stream = TcpStream::connect(network.address)?;
        stream.set_nodelay(true)?;
        let mut times = Vec::with_capacity(ROUND_TRIPS);
        for _ in 0..ROUND_TRIPS {
            let began = clock::now();
            stream.write_all(&[7])?;
            stream.read_exact(&mut [0])?;
            times.push(micros(clock::now().duration_since(began)));
        }
        times.sort_unstable();
        Ok(times[ROUND_TRIPS / 2])
    }

    /// The URL of a database, by way of this proxy.
    pub fn by_way_of(&self, database: &str) -> Result<String> {
        let mut url = Url::parse(database)?;
        url.set_host(Some("127.0.0.1"))?;
        let set = url.set_port(Some(self.address.port()));
        ensure!(set.is_ok(), "a database's address that takes no port");
        Ok(url.into())
    }
}

/// The address of a database server on TCP.
pub fn address_of(database: &Url) -> Result<SocketAddr> {
    let addresses = database.socket_addrs(|| Some(5432)).context("a database without a host")?;
    addresses.into_iter().next().context("the database's host has no address")
}

fn connect(client: TcpStream, server: SocketAddr, delay: Duration) -> Result<()> {
    let server = TcpStream::connect(server)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    carry(client.try_clone()?, server.try_clone()?, delay)?;
    carry(server, client, delay)
}

/// One direction.
fn carry(mut from: TcpStream, mut to: TcpStream, delay: Duration) -> Result<()> {
    let (sender, receiver) = channel();
    start("reader", move || read(&mut from, &sender, delay))?;
    start("writer", move || write(&receiver, &mut to))
}

fn read(from: &mut TcpStream, to: &Sender<Chunk>, delay: Duration) {
    let mut buffer = vec![0; CHUNK_BYTES];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let chunk = Chunk { bytes: buffer[..count].to_vec(), due: clock::now() + delay };
        if to.send(chunk).is_err() {
            return;
        }
    }
}

/// The end of one direction is the end of both: PostgreSQL's protocol knows no half of a session.
fn write(from: &Receiver<Chunk>, to: &mut TcpStream) {
    for chunk in from {
        clock::spin_until(chunk.due);
        if to.write_all(&chunk.bytes).is_err() {
            break;
        }
    }
    // The other side may have closed it before.
    let _ = to.shutdown(Shutdown::Both);
}

fn answer_one(echo: &TcpListener) -> Result<()> {
    let (mut stream, _) = echo.accept()?;
    stream.set_nodelay(true)?;
    let mut byte = [0];
    loop {
        stream.read_exact(&mut byte)?;
        stream.write_all(&byte)?;
    }
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    use super::Network;
    use crate::clock;

    const DELAY: Duration = Duration::from_millis(3);

    #[test]
    fn bytes_arrive_in_their_order_and_not_before_the_delay() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let network = Network::open(server.local_addr().unwrap(), DELAY).unwrap();
        let mut client = TcpStream::connect(network.address).unwrap();
        let (mut far, _) = server.accept().unwrap();
        let sent: Vec<u8> = (0..=255).cycle().take(200_000).collect();
        let began = clock::now();
        for part in sent.chunks(777) {
            client.write_all(part).unwrap();
        }
        let mut first = [0];
        far.read_exact(&mut first).unwrap();
        assert!(clock::now().duration_since(began) >= DELAY);
        let mut rest = vec![0; sent.len() - 1];
        far.read_exact(&mut rest).unwrap();
        assert_eq!((first[0], rest.as_slice()), (sent[0], &sent[1..]));
    }

    #[test]
    fn a_round_trip_takes_both_directions() {
        assert!(Network::round_trip_micros(DELAY).unwrap() >= 6_000);
        assert!(Network::round_trip_micros(Duration::ZERO).unwrap() < 6_000);
    }

    #[test]
    fn the_end_of_a_session_reaches_the_other_side() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let network = Network::open(server.local_addr().unwrap(), DELAY).unwrap();
        let client = TcpStream::connect(network.address).unwrap();
        let (mut far, _) = server.accept().unwrap();
        drop(client);
        assert_eq!(far.read(&mut [0]).unwrap(), 0);
    }

    #[test]
    fn a_database_keeps_its_name_and_user_by_way_of_the_network() {
        let address = "127.0.0.1:7777".parse().unwrap();
        let network = Network { address, delay: DELAY };
        let url = network.by_way_of("postgres://ana@localhost:5432/books?x=1").unwrap();
        assert_eq!(url, "postgres://ana@127.0.0.1:7777/books?x=1");
    }
}
