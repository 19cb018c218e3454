//! What an operator gives as files: text, such as secrets and PEM.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

/// Reads a file as text, without the space around it.
pub fn read_file(file: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(file);
    let bytes = bytes.with_context(|| format!("{} cannot be read", file.display()))?;
    text_of(&file.display().to_string(), bytes)
}

/// What a file holds as text; what holds other bytes is a certificate as its provider gives it.
pub fn text_of(name: &str, bytes: Vec<u8>) -> anyhow::Result<String> {
    let Ok(text) = String::from_utf8(bytes) else {
        bail!(
            "{name} is no text, and so no PEM. Make a PEM of a .p12 or .pfx file: \
             openssl pkcs12 -in FILE.p12 -out FILE.pem -nodes -password pass:\"\" \
             (docs/connecting/efi.en.md)"
        )
    };
    Ok(text.trim().to_owned())
}
