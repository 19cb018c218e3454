//! Cache of rendered pay pages: most visits need nothing from the database. On one core it serves
//! seven times as many pages a second (`bench w3`).
//!
//! A page is invalidated when its merchant changes a link, a product, a name, a look or the sandbox
//! clock, and expires with its link. Changes on other nodes are not seen here, so with several
//! nodes a page is kept for one second only; the amount charged is always computed from current
//! rows.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use db::time::Timestamp;
use db::tx::Tx;

use crate::platform::http::gzip::GzipTemplate;
use crate::platform::ids::MerchantId;
use crate::platform::messages::Lang;

/// The memory limit of the cache.
const BYTES_MAX: usize = 32 * 1024 * 1024;

/// The pages of this process.
#[derive(Default)]
pub struct PageCache {
    /// Grows with every invalidation, so that a page rendered from older rows is not valid.
    generation: AtomicU64,
    cached: RwLock<CachedPages>,
}

#[derive(Default)]
struct CachedPages {
    pages: HashMap<(String, &'static str), CachedPage>,
    bytes: usize,
    invalidations: Invalidations,
}

struct CachedPage {
    page: Arc<Page>,
    /// The generation before its rows were read.
    generation: u64,
}

/// The generations of the newest invalidations, by the ends of merchants' ids: invalidating takes
/// no longer with more pages, and the merchants whose ids end alike have their pages rendered
/// once more.
#[derive(Default)]
struct Invalidations(HashMap<[u8; 2], u64>);

/// A rendered page with a gap for the attempt id, plain and compressed.
pub struct Page {
    html: Vec<u8>,
    gap: usize,
    gzip: GzipTemplate,
    merchant: MerchantId,
    good_until: Timestamp,
}

impl Page {
    /// Takes a page that was rendered with `attempt` in the gap; `None` if `attempt` is not there.
    pub fn new(
        html: &str,
        attempt: &str,
        merchant: MerchantId,
        good_until: Timestamp,
    ) -> Option<Self> {
        let gap = html.find(attempt)?;
        let html = html.as_bytes().to_vec();
        let gzip = GzipTemplate::new(&html[..gap], &html[gap + attempt.len()..]);
        Some(Self { html, gap, gzip, merchant, good_until })
    }

    /// The page with another id of the same length in the gap.
    pub fn with(&self, attempt: &str) -> Vec<u8> {
        let mut html = self.html.clone();
        html[self.gap..self.gap + attempt.len()].copy_from_slice(attempt.as_bytes());
        html
    }

    /// The same, compressed.
    pub fn compressed_with(&self, attempt: &str) -> Vec<u8> {
        self.gzip.with(attempt.as_bytes())
    }

    fn size(&self) -> usize {
        self.html.len() + self.gzip.size()
    }
}

impl PageCache {
    /// Finds a page that is still valid.
    pub fn find(&self, slug: &str, lang: Lang, now: Timestamp) -> Option<Arc<Page>> {
        let cached = self.cached.read().unwrap_or_else(PoisonError::into_inner);
        let found = cached.pages.get(&(slug.to_owned(), lang.tag()))?;
        let is_good = found.page.good_until > now && cached.invalidations.spare(found);
        is_good.then(|| found.page.clone())
    }

    /// Must be read before the rows of a page are read.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Caches a page, unless its merchant's pages were invalidated since its rows were read.
    pub fn keep(&self, generation: u64, slug: &str, lang: Lang, page: Arc<Page>) {
        let (mut cached, page) = (self.write(), CachedPage { page, generation });
        if !cached.invalidations.spare(&page) {
            return;
        }
        cached.bytes += page.page.size();
        let replaced = cached.pages.insert((slug.to_owned(), lang.tag()), page);
        cached.bytes -= replaced.map_or(0, |replaced| replaced.page.size());
        if cached.bytes > BYTES_MAX {
            cached.make_room();
        }
    }

    /// Invalidates a merchant's pages if and when the unit is committed, even if its caller has
    /// gone by then.
    pub fn invalidate_once_committed(self: &Arc<Self>, tx: &Tx, merchant: MerchantId) {
        let pages = self.clone();
        tx.once_committed(move || pages.invalidate(merchant));
    }

    fn invalidate(&self, merchant: MerchantId) {
        let mut cached = self.write();
        let generation = self.generation.fetch_add(1, Ordering::Release) + 1;
        cached.invalidations.note(merchant, generation);
    }

    fn write(&self) -> RwLockWriteGuard<'_, CachedPages> {
        self.cached.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedPages {
    /// Drops the pages that are not valid any more, and every other one of the rest; those in use
    /// are rendered again.
    fn make_room(&mut self) {
        let mut keep = false;
        self.pages.retain(|_, page| {
            let is_valid = self.invalidations.spare(page);
            keep ^= is_valid;
            keep && is_valid
        });
        self.bytes = self.pages.values().map(|cached| cached.page.size()).sum();
    }
}

impl Invalidations {
    fn note(&mut self, merchant: MerchantId, generation: u64) {
        self.0.insert(end(merchant), generation);
    }

    /// Whether a page is newer than the newest of its merchant's invalidations.
    fn spare(&self, cached: &CachedPage) -> bool {
        let invalidated = self.0.get(&end(cached.page.merchant));
        invalidated.is_none_or(|generation| *generation <= cached.generation)
    }
}

/// The end of a merchant's id, which is random.
fn end(merchant: MerchantId) -> [u8; 2] {
    let [.., high, low] = merchant.0.into_bytes();
    [high, low]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use db::time::Timestamp;
    use uuid::Uuid;

    use super::{Page, PageCache};
    use crate::platform::ids::MerchantId;
    use crate::platform::messages::Lang;

    fn page(merchant: u128) -> Arc<Page> {
        let merchant = MerchantId(Uuid::from_u128(merchant));
        let page = Page::new("<b>0123</b>", "0123", merchant, Timestamp::from_micros(10));
        Arc::new(page.expect("has a gap"))
    }

    #[test]
    fn a_page_is_served_with_its_own_attempt_until_it_expires() {
        let cache = PageCache::default();
        cache.keep(cache.generation(), "a", Lang::PtBr, page(1));
        let found = cache.find("a", Lang::PtBr, Timestamp::from_micros(9)).expect("is good");
        assert_eq!(found.with("abcd"), b"<b>abcd</b>");
        assert!(cache.find("a", Lang::En, Timestamp::from_micros(9)).is_none());
        assert!(cache.find("a", Lang::PtBr, Timestamp::from_micros(10)).is_none());
    }

    #[test]
    fn a_full_cache_drops_what_is_not_valid_and_then_every_other_page() {
        let cache = PageCache::default();
        for slug in ["a", "b", "c", "d"] {
            cache.keep(cache.generation(), slug, Lang::PtBr, page(1));
        }
        cache.invalidate(MerchantId(Uuid::from_u128(1)));
        for slug in ["e", "f"] {
            cache.keep(cache.generation(), slug, Lang::PtBr, page(1));
        }
        cache.write().make_room();
        let left = |slugs: &[&str]| {
            let now = Timestamp::from_micros(0);
            slugs.iter().filter(|slug| cache.find(slug, Lang::PtBr, now).is_some()).count()
        };
        assert_eq!((left(&["a", "b", "c", "d"]), left(&["e", "f"])), (0, 1));
        assert_eq!(cache.write().bytes, page(1).size());
    }

    #[test]
    fn invalidating_a_merchant_also_refuses_pages_drawn_before() {
        let cache = PageCache::default();
        let now = Timestamp::from_micros(0);
        let before = cache.generation();
        cache.keep(before, "a", Lang::PtBr, page(1));
        cache.keep(before, "b", Lang::PtBr, page(2));
        cache.invalidate(MerchantId(Uuid::from_u128(1)));
        assert!(cache.find("a", Lang::PtBr, now).is_none());
        assert!(cache.find("b", Lang::PtBr, now).is_some());
        cache.keep(before, "a", Lang::PtBr, page(1));
        assert!(cache.find("a", Lang::PtBr, now).is_none());
        cache.keep(cache.generation(), "a", Lang::PtBr, page(1));
        assert!(cache.find("a", Lang::PtBr, now).is_some());
    }

    #[test]
    fn what_a_merchant_changes_keeps_no_page_of_another_one_out() {
        let cache = PageCache::default();
        let before = cache.generation();
        cache.invalidate(MerchantId(Uuid::from_u128(1)));
        cache.keep(before, "b", Lang::PtBr, page(2));
        assert!(cache.find("b", Lang::PtBr, Timestamp::from_micros(0)).is_some());
    }
}
