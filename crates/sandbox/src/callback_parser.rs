//! Callbacks that prove their origin, as the sandbox bank sends them.

use bytes::Bytes;
use http::HeaderMap;
use rails::entries::Entry;
use rails::error::ProviderError;
use rails::provider::Provider;

/// A provider that reports events of a rail in messages that prove their origin.
pub trait CallbackParser<T>: Provider {
    /// Authenticates a callback, and parses each of its entries.
    fn read_callback(
        &self,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Vec<Entry<T>>, ProviderError>;
}
