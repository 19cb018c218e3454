//! Documents as pictures and as files: QR codes, barcodes, and boletos as a PDF.
//!
//! Everything is a pure function of what is to be shown; texts come in the reader's language.

pub mod bars;
pub mod pdf;
pub mod qr;
pub mod sheet;

mod glyphs;
mod paper;
