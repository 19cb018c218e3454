//! Cache of rendered pay pages: most visits need nothing from the database. On one core it serves
//! seven times as many pages a second (`bench w3`).
//!
//! A page is invalidated when its merchant changes a link, a product or the sandbox clock, and
//! expires with its link. Changes on other nodes are not seen here, so with several nodes a page is
//! kept for one second only; the amount charged is always computed from current rows.

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
    /// Grows with every invalidation, so that a page rendered from older rows is not cached.
    generation: AtomicU64,
    kept: RwLock<CachedPage>,
}

#[derive(Default)]
struct CachedPage {
    pages: HashMap<(String, &'static str), Arc<Page>>,
    bytes: usize,
}

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
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let page = kept.pages.get(&(slug.to_owned(), lang.tag()))?;
        (page.good_until > now).then(|| page.clone())
    }

    /// Must be read before the rows of a page are read.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Caches a page, unless something was invalidated since its rows were read.
    pub fn keep(&self, generation: u64, slug: &str, lang: Lang, page: Arc<Page>) {
        let mut kept = self.write();
        if self.generation() != generation {
            return;
        }
        kept.bytes += page.size();
        let replaced = kept.pages.insert((slug.to_owned(), lang.tag()), page);
        kept.bytes -= replaced.map_or(0, |page| page.size());
        if kept.bytes > BYTES_MAX {
            kept.halve();
        }
    }

    /// Invalidates a merchant's pages if and when the unit is committed, even if its caller has gone
    /// by then.
    pub fn invalidate_once_committed(self: &Arc<Self>, tx: &Tx, merchant: MerchantId) {
        let pages = self.clone();
        tx.once_committed(move || pages.invalidate(merchant));
    }

    /// Invalidates a merchant's pages.
    pub fn invalidate(&self, merchant: MerchantId) {
        let mut kept = self.write();
        self.generation.fetch_add(1, Ordering::Release);
        kept.retain(|page| page.merchant != merchant);
    }

    fn write(&self) -> RwLockWriteGuard<'_, CachedPage> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedPage {
    /// Drops every other page; those in use are rendered again.
    fn halve(&mut self) {
        let mut keep = false;
        self.retain(|_| {
            keep = !keep;
            keep
        });
    }

    fn retain(&mut self, mut keep: impl FnMut(&Page) -> bool) {
        self.pages.retain(|_, page| keep(page));
        self.bytes = self.pages.values().map(|page| page.size()).sum();
    }
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
    }
}
