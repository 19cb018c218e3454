//! The lanes of the queue. Each has its own workers, so slow work in one does not delay another.

use db::database::Dialect;
use queue::job::WORK;
use queue::worker::AtOnce;

/// Calls to banks that may be slow.
pub const PAYOUTS: &str = "payouts";
/// Work of connections that is not in the lane of one of them.
pub const CONNECTIONS: &str = "connections";
/// How the lanes of questions that lists raise begin.
const QUESTIONS: &str = "questions";
/// Deliveries to merchants' servers, which may be slow.
pub const WEBHOOKS: &str = "webhooks";
/// Mails, which the operator's SMTP server takes in its own time.
pub const MAILS: &str = "mails";
/// Erasure of deleted clients and closed accounts, which reads many rows and must not delay
/// anything else.
pub const ERASURES: &str = "erasures";
/// Proofs of ledgers, which read every entry again and must not delay anything else.
pub const PROOFS: &str = "proofs";

/// SQLite commits waiting units together, so more concurrent jobs make each one cheaper.
const WORK_AT_ONCE: usize = 32;
/// Each job takes a connection that a request might need.
const WORK_AT_ONCE_ON_POSTGRES: usize = 16;
const PAYOUTS_AT_ONCE: usize = 8;
/// Fewer than the calls that one connection may have in flight: where its bank does not answer what
/// notices ask, buyers and payouts still have their turn.
const CONNECTIONS_AT_ONCE: usize = 24;
/// A list may raise thousands of them in a night; refunds and charges are not to wait for them.
const QUESTIONS_AT_ONCE: usize = 4;
/// An SMTP server accepts few connections of one sender at once.
const MAILS_AT_ONCE: usize = 4;
const WEBHOOKS_AT_ONCE: usize = 256;
const ERASURES_AT_ONCE: usize = 2;

/// A lane, and how many of its jobs run at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    pub name: String,
    pub at_once: AtOnce,
}

/// The lanes that every server has; webhooks last, because the others emit them.
pub fn shared(dialect: Dialect) -> [Lane; 7] {
    let work = match dialect {
        Dialect::Sqlite => WORK_AT_ONCE,
        Dialect::Postgres => WORK_AT_ONCE_ON_POSTGRES,
    };
    let lane = |name: &str, jobs| Lane::new(name.to_owned(), AtOnce::OnEachServer(jobs));
    [
        lane(PAYOUTS, PAYOUTS_AT_ONCE),
        lane(WORK, work),
        lane(CONNECTIONS, CONNECTIONS_AT_ONCE),
        lane(ERASURES, ERASURES_AT_ONCE),
        lane(MAILS, MAILS_AT_ONCE),
        Lane::new(PROOFS.to_owned(), AtOnce::One),
        lane(WEBHOOKS, WEBHOOKS_AT_ONCE),
    ]
}

/// The lanes of one connection. An account that sends several payouts at once is throttled by its
/// bank.
pub fn of(connection: &str) -> [Lane; 3] {
    [
        Lane::new(of_payouts(connection), AtOnce::One),
        Lane::new(of_connection(connection), AtOnce::OnEachServer(CONNECTIONS_AT_ONCE)),
        Lane::new(of_questions(connection), AtOnce::OnEachServer(QUESTIONS_AT_ONCE)),
    ]
}

/// The lane of notices of one connection, and of refunds and charges by it: a bank that hangs
/// delays no other.
pub fn of_connection(name: &str) -> String {
    format!("{CONNECTIONS} {name}")
}

/// The lane of questions to one connection that its lists raise.
pub fn of_questions(name: &str) -> String {
    format!("{QUESTIONS} {name}")
}

/// The lane of payouts by one connection, which are sent one after another, as banks advise.
pub fn of_payouts(connection: &str) -> String {
    format!("{PAYOUTS} {connection}")
}

impl Lane {
    const fn new(name: String, at_once: AtOnce) -> Self {
        Self { name, at_once }
    }
}
