//! A run's data: an empty database of its own, deleted afterwards.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use db::database::Database;
use db::migrations::apply;
use tempfile::TempDir;
use tostao::app::MIGRATIONS;
use tostao::platform::system_clock;

use crate::postgres::{Cluster, Scratch};

/// A run's folder and database.
pub struct RunFolder {
    url: String,
    folder: TempDir,
    scratch: Option<Scratch>,
}

impl RunFolder {
    /// Creates an empty database: a file, or one on the cluster if there is a cluster.
    pub async fn new(beside: &Path, cluster: Option<&Cluster>) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("tostao-bench-").tempdir_in(beside);
        let folder = folder.with_context(|| beside.display().to_string())?;
        let scratch = match cluster {
            Some(cluster) => Some(cluster.scratch().await?),
            None => None,
        };
        let url = match &scratch {
            Some(scratch) => scratch.url.clone(),
            None => format!("sqlite:{}", file(folder.path()).display()),
        };
        Ok(Self { url, folder, scratch })
    }

    /// The database URL for the generator.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The database URL for the product.
    pub fn servers_url(&self) -> &str {
        self.scratch.as_ref().map_or(&self.url, |scratch| &scratch.servers_url)
    }

    /// The folder for files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The embedded database's file.
    pub fn file(&self) -> PathBuf {
        file(self.folder())
    }

    /// Creates the product's tables in it.
    pub async fn migrate(&self) -> Result<()> {
        let database = Database::open(&self.url, system_clock::system())?;
        apply(&database, MIGRATIONS).await?;
        Ok(())
    }

    /// Deletes it; merely dropping the value leaves an empty database on a cluster.
    pub async fn remove(self) -> Result<()> {
        if let Some(scratch) = self.scratch {
            scratch.remove().await?;
        }
        Ok(self.folder.close()?)
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("tostao.db")
}
