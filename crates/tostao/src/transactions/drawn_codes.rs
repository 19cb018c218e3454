//! The pictures of the codes that were drawn last: a request that is repeated soon finds its own.
//!
//! Drawing one takes a few hundredths of a charge. A picture follows from its code alone, so none
//! is ever out of date.

use std::sync::{Arc, LazyLock};

use documents::qr::{Qr, TextTooLong};

use crate::platform::recent::Recent;

/// A hundred pictures; one takes some 3 KiB with its code.
static LAST: LazyLock<Recent<String, Arc<str>>> = LazyLock::new(|| Recent::with_others(99));

/// The picture of a code, as a PNG in base64.
pub fn png_base64(code: &str) -> Result<Arc<str>, TextTooLong> {
    if let Some(picture) = LAST.get(code) {
        return Ok(picture);
    }
    let picture: Arc<str> = Qr::encode(code)?.png_base64().into();
    LAST.note(code.to_owned(), picture.clone());
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use documents::qr::Qr;

    use super::png_base64;

    #[test]
    fn a_code_has_the_same_picture_each_time() {
        let code = format!("00020126580014br.gov.bcb.pix0136{:0186}", 7);
        let own = Qr::encode(&code).unwrap().png_base64();
        for _ in 0..2 {
            assert_eq!(&*png_base64(&code).unwrap(), own.as_str());
        }
    }
}
