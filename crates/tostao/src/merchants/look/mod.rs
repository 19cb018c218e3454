//! The look of a shop: what buyers see of an account beside its name.
//!
//! A page needs the accent colour and where the logo is, which are read with the name of the shop;
//! the file itself is only read where browsers ask for it. An address has the hash of its content,
//! so browsers keep it, and another logo has another address. A closed account shows no logo.

use db::hex::hex;
use db::tx::Tx;
use db::value::Row;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::merchants::look::accent::Accent;
use crate::merchants::look::picture::{Format, Picture};
use crate::merchants::{find, lock};
use crate::platform::error::Result;
use crate::platform::ids::MerchantId;
use crate::platform::secrets::sha256;

pub mod accent;
pub mod api;
pub mod files_api;
pub mod picture;
mod store;

/// The largest size at which pages show a logo, in pixels.
const SHOWN_WIDTH_MAX: i64 = 160;
const SHOWN_HEIGHT_MAX: i64 = 44;

/// What a buyer may know about the seller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SellerProfile {
    pub name: String,
    pub look: Look,
}

/// The accent colour and the logo of a shop.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    pub accent: Option<Accent>,
    pub logo: Option<Logo>,
}

/// Where a logo is, and its size in pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    hash: String,
    pub width: i64,
    pub height: i64,
}

/// A logo, as browsers get it.
pub struct LogoFile {
    pub format: Format,
    pub content: Vec<u8>,
}

/// Gives an account a logo in the place of the one that it has; returns its look as it then is.
pub async fn set_logo(
    tx: &Tx,
    by: &ActorContext,
    id: MerchantId,
    content: &[u8],
    picture: Picture,
) -> Result<Look> {
    lock(tx, id).await?;
    let look = find(tx, id).await?.look;
    let logo = Logo {
        hash: hex(&sha256(content)),
        width: picture.width.into(),
        height: picture.height.into(),
    };
    if look.logo.as_ref() == Some(&logo) {
        return Ok(look);
    }
    store::put(tx, id, &logo, picture.format, content).await?;
    store::note(tx, id, Some(&logo)).await?;
    let entry = Entry::new(Action::AccountLogoChanged, id).with("hash", logo.hash.clone());
    audit::record(tx, by, entry).await?;
    Ok(Look { logo: Some(logo), ..look })
}

/// Removes an account's logo, if it has one; returns its look as it then is.
pub async fn remove_logo(tx: &Tx, by: &ActorContext, id: MerchantId) -> Result<Look> {
    lock(tx, id).await?;
    let look = find(tx, id).await?.look;
    if look.logo.is_none() {
        return Ok(look);
    }
    store::delete(tx, id).await?;
    store::note(tx, id, None).await?;
    audit::record(tx, by, Entry::new(Action::AccountLogoRemoved, id)).await?;
    Ok(Look { logo: None, ..look })
}

/// Deletes the logo of an account that is closed.
pub async fn forget(tx: &Tx, id: MerchantId) -> Result<()> {
    store::delete(tx, id).await
}

/// Finds the logo at an address, as long as an open account shows it.
pub async fn file(tx: &Tx, hash: &str) -> Result<Option<LogoFile>> {
    store::find(tx, hash).await
}

impl SellerProfile {
    /// The letter in the place of a logo.
    pub fn initial(&self) -> String {
        self.name.trim().chars().take(1).flat_map(char::to_uppercase).collect()
    }
}

/// The name, as pages write it.
impl std::fmt::Display for SellerProfile {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.name)
    }
}

impl Look {
    /// Reads the accent colour, and the hash and the size of the logo, in this order, from a row.
    pub fn read(row: &mut Row) -> Result<Self> {
        let accent: Option<String> = row.take()?;
        let hash: Option<String> = row.take()?;
        let (width, height): (Option<i64>, Option<i64>) = (row.take()?, row.take()?);
        let size = width.zip(height);
        let logo = hash.zip(size).map(|(hash, (width, height))| Logo { hash, width, height });
        Ok(Self { accent: accent.and_then(|text| Accent::parse(&text).ok()), logo })
    }
}

impl Logo {
    /// The width and the height at which pages show it: whole, and no higher than a line of text
    /// with its label.
    pub fn shown_width(&self) -> i64 {
        (self.width * self.shown_height() / self.height.max(1)).max(1)
    }

    pub fn shown_height(&self) -> i64 {
        self.height
            .min(SHOWN_HEIGHT_MAX)
            .min(self.height * SHOWN_WIDTH_MAX / self.width.max(1))
            .max(1)
    }

    /// The path of the file.
    pub fn path(&self) -> String {
        format!("/assets/logos/{}", self.hash)
    }
}
