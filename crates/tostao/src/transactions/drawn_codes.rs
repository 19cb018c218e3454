//! The pictures of the codes that were drawn last: a request that is repeated soon finds its own.
//!
//! Drawing one takes a few hundredths of a charge. A picture follows from its code alone, so none
//! is ever out of date.

use std::sync::{Arc, LazyLock};

use documents::qr::{Qr, TextTooLong};

use crate::platform::recent::Recent;

/// A hundred pictures; one takes some 3 KiB with its code.
static LAST: LazyLock<Recent<String, Arc<str>>> = LazyLock::new(|| Recent::new(100));

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
    use std::sync::Arc;

    use documents::qr::Qr;

    use super::png_base64;

    #[test]
    fn a_code_has_its_own_picture_which_is_drawn_once() {
        let codes = [7, 8].map(|number| format!("00020126580014br.gov.bcb.pix0136{number:0186}"));
        let drawn = codes.each_ref().map(|code| png_base64(code).unwrap());
        for (code, first) in codes.iter().zip(&drawn) {
            assert_eq!(&**first, Qr::encode(code).unwrap().png_base64().as_str());
            assert!(Arc::ptr_eq(first, &png_base64(code).unwrap()));
        }
    }
}
