//! The administrator who decided about a merchant's money, as stored on the decided row.

use db::time::Timestamp;
use db::value::{Arg, Row, ToArg};

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::audit::{Actor, ActorContext};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::MerchantId;

/// Takes an administrator's place where the server decides automatically.
const SERVER: MerchantId = MerchantId(Uuid::nil());

/// A decision.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The administrator.
    pub by: MerchantId,
    pub at: Timestamp,
    /// The IP address of the request.
    pub from: Option<String>,
}

/// A decision as administrators see it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecidedView {
    /// The administrator who decided; null until then.
    #[serde(rename = "decidedBy")]
    by: Option<MerchantId>,
    #[serde(rename = "decidedAt")]
    at: Option<Timestamp>,
    /// The IP address from which the decision was made.
    #[serde(rename = "decidedFrom")]
    from: Option<String>,
}

impl DecidedView {
    /// Shows a decision, or that there was none.
    pub fn new(decided: Option<Decision>) -> Self {
        let decided = decided.filter(|decided| decided.by != SERVER);
        let (by, at) = decided.as_ref().map(|decided| (decided.by, decided.at)).unzip();
        Self { by, at, from: decided.and_then(|decided| decided.from) }
    }
}

impl Decision {
    /// The decision of the acting administrator; `None` where no administrator acts. Administrators
    /// cannot decide about their own account.
    pub fn about(merchant: MerchantId, by: &ActorContext, at: Timestamp) -> Result<Option<Self>> {
        let Actor::Administrator(administrator) = by.actor else { return Ok(None) };
        if administrator == merchant {
            let message = "This belongs to your own account; another administrator must decide.";
            return Err(Error::refused(ErrorCode::SelfApproval, message));
        }
        Ok(Some(Self { by: administrator, at, from: by.client_address.clone() }))
    }

    /// A decision by the server, on a row that requires a name.
    pub fn by_server(at: Timestamp) -> Self {
        Self { by: SERVER, at, from: Some(String::new()) }
    }

    /// Reads who, when and from where, in this order, from a row.
    pub fn read(row: &mut Row) -> Result<Option<Self>> {
        let (by, at, from) = (row.take()?, row.take()?, row.take()?);
        Ok(Option::zip(by, at).map(|(by, at)| Self { by, at, from }))
    }

    /// The parameters for the columns that `read` reads.
    pub fn args(decided: Option<&Self>) -> [Arg<'_>; 3] {
        match decided {
            None => [Arg::Null; 3],
            Some(decided) => [decided.by.to_arg(), decided.at.to_arg(), decided.from.to_arg()],
        }
    }
}
