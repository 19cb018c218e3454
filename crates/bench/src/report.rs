//! The output: one line of JSON per result.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::numbers::rounded;
use crate::usage::Shares;

/// One result.
#[derive(Debug, Default, Serialize)]
pub struct Line {
    pub workload: String,
    pub database: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Ratio>,
    pub fsync_p50_us: u64,
    pub fsync_p99_us: u64,
    /// Additional results of this workload.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// A result's ratio to another one of the same run.
#[derive(Debug, Clone, Serialize)]
pub struct Ratio {
    pub to: String,
    pub value: f64,
}

impl Ratio {
    /// Divides a result by its reference.
    pub fn new(to: &str, result: f64, by: f64) -> Self {
        Self { to: to.to_owned(), value: rounded(result / by) }
    }
}

impl Line {
    /// Adds a detail.
    pub fn with(mut self, name: &str, value: impl Serialize) -> Result<Self> {
        self.details.insert(name.to_owned(), serde_json::to_value(value)?);
        Ok(self)
    }

    /// Adds what limited the run.
    pub fn held_up_by(self, shares: Shares) -> Result<Self> {
        self.with("generator_share", shares.generator)?
            .with("others_share", shares.others)?
            .with("others_share_beside_generator", shares.beside)?
            .with("stolen_share", shares.stolen)?
            .with("void", shares.is_void())
    }

    /// Prints it.
    pub fn print(&self) -> Result<()> {
        Ok(writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(self)?)?)
    }
}

/// Prints progress to the terminal, separate from the results.
pub fn progress(text: &str) {
    // If the terminal is gone, the results still matter.
    let _ = writeln!(std::io::stderr().lock(), "bench: {text}");
}
