//! The pictures of the codes that were drawn last: a request that is repeated soon finds its own.
//!
//! Drawing one takes a few hundredths of a charge. A picture follows from its code alone, so none
//! is ever out of date.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use documents::qr::{Qr, TextTooLong};

/// How much memory the codes and their pictures take; one of each takes some 3 KiB.
const BYTES_MAX: usize = 320 * 1024;

static LAST: Mutex<DrawnCodes> = Mutex::new(DrawnCodes::new());

struct DrawnCodes {
    pictures: BTreeMap<Arc<str>, Arc<str>>,
    oldest_first: VecDeque<Arc<str>>,
    bytes: usize,
}

/// The picture of a code, as a PNG in base64.
pub fn png_base64(code: &str) -> Result<Arc<str>, TextTooLong> {
    let drawn = last().find(code);
    if let Some(picture) = drawn {
        return Ok(picture);
    }
    let picture: Arc<str> = Qr::encode(code)?.png_base64().into();
    last().keep(code, &picture);
    Ok(picture)
}

fn last() -> MutexGuard<'static, DrawnCodes> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DrawnCodes {
    const fn new() -> Self {
        Self { pictures: BTreeMap::new(), oldest_first: VecDeque::new(), bytes: 0 }
    }

    fn find(&self, code: &str) -> Option<Arc<str>> {
        self.pictures.get(code).cloned()
    }

    fn keep(&mut self, code: &str, picture: &Arc<str>) {
        let code: Arc<str> = code.into();
        if self.pictures.insert(code.clone(), picture.clone()).is_some() {
            // A concurrent request has drawn the same one.
            return;
        }
        self.bytes += code.len() + picture.len();
        self.oldest_first.push_back(code);
        while self.bytes > BYTES_MAX
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            let picture = self.pictures.remove(&oldest);
            self.bytes -= oldest.len() + picture.map_or(0, |picture| picture.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use documents::qr::Qr;

    use super::{BYTES_MAX, DrawnCodes, png_base64};

    #[test]
    fn a_code_is_drawn_the_same_each_time() {
        let code = format!("00020126580014br.gov.bcb.pix0136{:0186}", 7);
        let own = Qr::encode(&code).unwrap().png_base64();
        for _ in 0..2 {
            assert_eq!(&*png_base64(&code).unwrap(), own.as_str());
        }
    }

    #[test]
    fn the_oldest_pictures_leave_so_that_all_take_a_bounded_memory() {
        let mut codes = DrawnCodes::new();
        let picture: Arc<str> = "x".repeat(3_000).into();
        let code = |number: usize| format!("{number:0200}");
        for number in 0..1_000 {
            codes.keep(&code(number), &picture);
            codes.keep(&code(number), &picture);
            assert!(codes.bytes <= BYTES_MAX);
        }
        let kept = BYTES_MAX / 3_200;
        assert_eq!((codes.oldest_first.len(), codes.pictures.len()), (kept, kept));
        let has = |number| codes.find(&code(number)).is_some();
        assert!(!has(0) && !has(999 - kept) && has(1_000 - kept) && has(999));
    }
}
