//! HTTP code shared by every feature: checking requests and rendering responses.

pub mod body;
pub mod card_data;
pub mod client_ip;
pub mod context;
pub mod deadline;
pub mod decode_error;
pub mod device;
pub mod error_body;
pub mod error_response;
pub mod gzip;
pub mod headers;
pub mod html;
pub mod language;
pub mod listing;
pub mod metrics;
pub mod own_forms;
pub mod page;
pub mod page_cache;
pub mod patch;
pub mod path;
pub mod precompressed;
pub mod query;
pub mod rate_limit;
pub mod reply;
pub mod server;
pub mod sse;
