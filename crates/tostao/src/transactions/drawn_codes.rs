//! The pictures of the codes that were drawn last: a request that is repeated soon finds its own.
//!
//! Drawing one takes a few hundredths of a charge. A picture follows from its code alone, so none
//! is ever out of date.

use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use documents::qr::{Qr, TextTooLong};
use lru::LruCache;

/// A hundred pictures are kept; one takes some 3 KiB with its code.
const KEPT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(99);

static LAST: LazyLock<Mutex<LruCache<String, Arc<str>>>> =
    LazyLock::new(|| Mutex::new(LruCache::new(KEPT)));

/// The picture of a code, as a PNG in base64.
pub fn png_base64(code: &str) -> Result<Arc<str>, TextTooLong> {
    let drawn = last().get(code).cloned();
    if let Some(picture) = drawn {
        return Ok(picture);
    }
    let picture: Arc<str> = Qr::encode(code)?.png_base64().into();
    last().put(code.to_owned(), picture.clone());
    Ok(picture)
}

fn last() -> MutexGuard<'static, LruCache<String, Arc<str>>> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use documents::qr::Qr;

    use super::{KEPT, last, png_base64};

    #[test]
    fn a_code_has_the_same_picture_each_time_and_few_are_kept() {
        let code = |number: usize| format!("00020126580014br.gov.bcb.pix0136{number:0186}");
        let own = Qr::encode(&code(0)).unwrap().png_base64();
        for _ in 0..2 {
            assert_eq!(&*png_base64(&code(0)).unwrap(), own.as_str());
        }
        for number in 0..=KEPT.get() {
            png_base64(&code(number)).unwrap();
        }
        assert_eq!(last().len(), KEPT.get());
        assert!(!last().contains(&code(0)));
    }
}
