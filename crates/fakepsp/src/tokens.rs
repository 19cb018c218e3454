//! OAuth tokens of the three token doors.

use std::collections::{BTreeMap, VecDeque};

use jiff::{SignedDuration, Timestamp};

use crate::call::{Call, Listener};
use crate::ids::Ids;
use crate::route::Dialect;

/// Who attacks the core with a schema has no token door, so this token is good on the plain
/// listener; errors are then the central bank's, because its schema is the judge.
const ATTACKERS_TOKEN: &str = "x";

/// A client secret that no application has.
const WRONG_SECRET: &str = "wrong";

#[derive(Debug)]
struct Token {
    dialect: Dialect,
    scopes: Vec<String>,
    expires_at: Timestamp,
}

#[derive(Debug, Default)]
pub struct Tokens {
    issued: BTreeMap<String, Token>,
    /// When tokens were asked for, for a limit of so many a minute.
    asked: VecDeque<Timestamp>,
}

impl Tokens {
    pub fn issue(
        &mut self,
        ids: &mut Ids,
        dialect: Dialect,
        scopes: &str,
        expires_at: Timestamp,
    ) -> String {
        let token = ids.alphanumeric(64);
        let scopes = scopes.split_whitespace().map(str::to_owned).collect();
        self.issued.insert(token.clone(), Token { dialect, scopes, expires_at });
        token
    }

    pub fn scopes(&self, dialect: Dialect, token: &str, now: Timestamp) -> Option<Vec<String>> {
        let token = self.issued.get(token)?;
        (token.dialect == dialect && now < token.expires_at).then(|| token.scopes.clone())
    }

    /// Ends the tokens of a dialect before their time.
    pub fn expire(&mut self, dialect: Dialect) -> usize {
        let before = self.issued.len();
        self.issued.retain(|_, token| token.dialect != dialect);
        before - self.issued.len()
    }

    /// Whether one more token may be asked for within a minute.
    pub fn may_ask(&mut self, now: Timestamp, limit: usize) -> bool {
        let minute = SignedDuration::from_mins(1);
        self.asked.retain(|at| now.duration_since(*at) < minute);
        if limit > 0 && self.asked.len() >= limit {
            return false;
        }
        self.asked.push_back(now);
        true
    }
}

pub fn is_attacker(call: &Call) -> bool {
    call.listener == Listener::Plain && call.bearer() == Some(ATTACKERS_TOKEN)
}

/// Every client is known but one with an empty name or the wrong secret.
pub fn knows(client: &str, secret: &str) -> bool {
    !client.is_empty() && !secret.is_empty() && secret != WRONG_SECRET
}
