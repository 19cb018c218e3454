//! QR codes of PIX payments: for the page, for the API and for a terminal.
//!
//! The matrix comes from `qrcodegen`. The drawing is ours because a payment code is large (some 60
//! modules a side) and one path of horizontal runs, or a 1-bit image, is a fifth of the size that
//! general renderers produce. Every form has the quiet zone of four modules that scanners need.
//!
//! Every code uses the same mask. The standard has the encoder try all eight and count blemishes,
//! which is nine tenths of the work of a code and a fifth of a whole charge; a scanner reads any
//! mask.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use qrcodegen::{Mask, QrCode, QrCodeEcc, QrSegment, Version};

/// Light modules around the code, on each side.
const QUIET_ZONE: i32 = 4;

/// The mask whose pattern is unlike anything in a code: every third diagonal.
const MASK: u8 = 3;

/// Pixels per module in the image: half a byte.
const PIXELS_PER_MODULE: usize = 4;

/// Pixels per module in the image to print: two bytes.
const PIXELS_PER_PRINTED_MODULE: usize = 16;

/// Black on white from the fixed part of the 256-color palette: themes do not redefine it, so the
/// code can be scanned from light and dark terminals.
const BLACK_ON_WHITE: &str = "\x1b[38;5;16;48;5;231m";
const RESET: &str = "\x1b[0m";

/// The text does not fit the largest code (some 2300 bytes; a BR Code has at most 512).
#[derive(Debug, thiserror::Error)]
#[error("the text is too long for a QR code")]
pub struct TextTooLong;

/// A QR code with its quiet zone, at error correction level M.
pub struct Qr {
    code: QrCode,
}

/// Adjacent dark modules; coordinates include the quiet zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub x: usize,
    pub y: usize,
    pub length: usize,
}

impl Qr {
    /// Encodes a text.
    pub fn encode(text: &str) -> Result<Self, TextTooLong> {
        let code = QrCode::encode_segments_advanced(
            &QrSegment::make_segments(text),
            QrCodeEcc::Medium,
            Version::MIN,
            Version::MAX,
            Some(Mask::new(MASK)),
            false,
        );
        Ok(Self { code: code.map_err(|_| TextTooLong)? })
    }

    /// Modules per side, quiet zone included; the `viewBox` of the page's drawing.
    pub fn side(&self) -> usize {
        usize::try_from(self.code.size() + 2 * QUIET_ZONE).unwrap_or_default()
    }

    /// The dark modules, row by row, as runs.
    pub fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        for y in 0..self.side() {
            let mut x = 0;
            while x < self.side() {
                let length = (x..self.side()).take_while(|&x| self.is_dark(x, y)).count();
                if length > 0 {
                    runs.push(Run { x, y, length });
                }
                x += length.max(1);
            }
        }
        runs
    }

    /// The dark modules as the `d` of one SVG path with a stroke one unit wide.
    ///
    /// The component `components/qr.html` draws it.
    pub fn svg_path(&self) -> String {
        let mut path = String::new();
        let mut pen = (0, 0);
        for run in self.runs() {
            draw_run(&mut path, &mut pen, run);
        }
        path
    }

    /// A black-and-white PNG in base64, without the `data:` prefix.
    pub fn png_base64(&self) -> String {
        STANDARD.encode(self.png())
    }

    /// Two rows of modules per line, as half blocks, black on white whatever the terminal's theme.
    pub fn terminal(&self) -> String {
        let mut text = String::new();
        for y in (0..self.side()).step_by(2) {
            text.push_str(BLACK_ON_WHITE);
            for x in 0..self.side() {
                text.push(match (self.is_dark(x, y), self.is_dark(x, y + 1)) {
                    (false, false) => ' ',
                    (false, true) => '▄',
                    (true, false) => '▀',
                    (true, true) => '█',
                });
            }
            text.push_str(RESET);
            text.push('\n');
        }
        text
    }

    /// Whether a module is dark; everything outside the code is light.
    fn is_dark(&self, x: usize, y: usize) -> bool {
        let module = |at: usize| i32::try_from(at).map_or(-1, |at| at - QUIET_ZONE);
        self.code.get_module(module(x), module(y))
    }

    /// A black-and-white PNG with few pixels per module, for screens.
    fn png(&self) -> Vec<u8> {
        self.image(PIXELS_PER_MODULE, |y| {
            (0..self.side()).step_by(2).map(|x| self.two_modules(x, y)).collect()
        })
    }

    /// A black-and-white PNG that is sharp on paper.
    pub fn printed_png(&self) -> Vec<u8> {
        self.image(PIXELS_PER_PRINTED_MODULE, |y| {
            let byte = |x| if self.is_dark(x, y) { 0x00 } else { 0xff };
            (0..self.side()).flat_map(|x| [byte(x); PIXELS_PER_PRINTED_MODULE / 8]).collect()
        })
    }

    /// A PNG of so many pixels per module, whose rows of modules `row` draws.
    fn image(&self, scale: usize, row: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
        let pixels = self.side() * scale;
        let side = u32::try_from(pixels).expect("the largest code has 185 modules a side");
        let mut header = Vec::new();
        header.extend(side.to_be_bytes());
        header.extend(side.to_be_bytes());
        // One bit per pixel, greyscale, and the only compression, filter and interlace methods.
        header.extend([1, 0, 0, 0, 0]);

        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        push_chunk(&mut png, *b"IHDR", &header);
        push_chunk(&mut png, *b"IDAT", &self.compressed_rows(scale, row));
        push_chunk(&mut png, *b"IEND", &[]);
        png
    }

    /// Rows as differences from the row above, so that all but one row of each module are zeros.
    fn compressed_rows(&self, scale: usize, row: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
        const UP: u8 = 2;
        let width = (self.side() * scale).div_ceil(8);
        let (mut rows, mut above) = (Vec::new(), vec![0; width]);
        for y in 0..self.side() {
            let row = row(y);
            rows.push(UP);
            rows.extend(row.iter().zip(&above).map(|(here, above)| here.wrapping_sub(*above)));
            for _ in 1..scale {
                rows.push(UP);
                rows.extend(std::iter::repeat_n(0, width));
            }
            above = row;
        }
        fdeflate::compress_to_vec(&rows)
    }

    /// Eight pixels of a row; a set bit is white.
    fn two_modules(&self, x: usize, y: usize) -> u8 {
        let left = if self.is_dark(x, y) { 0x00 } else { 0xf0 };
        let right = if self.is_dark(x + 1, y) { 0x00 } else { 0x0f };
        left | right
    }
}

/// Moves the pen to the middle of a row of modules and draws to the right.
///
/// Steps are relative to the end of the last run: the numbers stay short and repeat.
fn draw_run(path: &mut String, pen: &mut (usize, usize), run: Run) {
    let Run { x, y, length } = run;
    let written = if path.is_empty() || y != pen.1 {
        write!(path, "M{x} {y}.5h{length}")
    } else {
        write!(path, "m{} 0h{length}", x - pen.0)
    };
    written.expect("memory accepts every write");
    *pen = (x + length, y);
}

/// Appends a PNG chunk: length, kind, data, checksum of kind and data.
fn push_chunk(png: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("the image has some kilobytes");
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&kind);
    checksum.update(data);
    png.extend(length.to_be_bytes());
    png.extend(kind);
    png.extend(data);
    png.extend(checksum.finalize().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::ZlibDecoder;
    use rqrr::PreparedImage;

    use super::*;

    const BR_CODE: &str = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000\
        5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";

    /// Scans a drawing, enlarged as a camera would see it.
    fn scan(side: usize, is_dark: impl Fn(usize, usize) -> bool) -> String {
        let mut image = PreparedImage::prepare_from_greyscale(side * 4, side * 4, |x, y| {
            if is_dark(x / 4, y / 4) { 0 } else { 255 }
        });
        let grids = image.detect_grids();
        assert_eq!(grids.len(), 1, "one code is found");
        grids[0].decode().expect("the code can be read").1
    }

    /// Follows the path and returns the dark modules.
    fn stroke(path: &str) -> Vec<(usize, usize)> {
        let mut dark = Vec::new();
        let (mut x, mut y) = (0, 0);
        for step in path.split(['M', 'm']).skip(1) {
            let (to, length) = step.split_once('h').unwrap();
            let (across, down) = to.split_once(' ').unwrap();
            match down.strip_suffix(".5") {
                Some(row) => (x, y) = (across.parse().unwrap(), row.parse().unwrap()),
                None => x += across.parse::<usize>().unwrap(),
            }
            for _ in 0..length.parse().unwrap() {
                dark.push((x, y));
                x += 1;
            }
        }
        dark
    }

    /// Decodes the only kind of PNG written here, as rows of pixels.
    fn unpack(png: &[u8]) -> (usize, Vec<Vec<u8>>) {
        let side = u32::from_be_bytes(png[16..20].try_into().unwrap()) as usize;
        let length = u32::from_be_bytes(png[33..37].try_into().unwrap()) as usize;
        assert_eq!(&png[37..41], b"IDAT");
        let mut filtered = Vec::new();
        ZlibDecoder::new(&png[41..41 + length]).read_to_end(&mut filtered).unwrap();
        let mut rows: Vec<Vec<u8>> = Vec::new();
        for row in filtered.chunks(1 + side.div_ceil(8)) {
            assert_eq!(row[0], 2, "a row is a difference from the row above");
            let above = rows.last().cloned().unwrap_or_else(|| vec![0; row.len() - 1]);
            rows.push(row[1..].iter().zip(above).map(|(a, b)| a.wrapping_add(b)).collect());
        }
        (side, rows)
    }

    #[test]
    fn a_scanner_reads_the_drawing_of_the_page() {
        let qr = Qr::encode(BR_CODE).unwrap();
        let dark = stroke(&qr.svg_path());
        assert_eq!(scan(qr.side(), |x, y| dark.contains(&(x, y))), BR_CODE);
    }

    #[test]
    fn a_scanner_reads_the_image() {
        let qr = Qr::encode(BR_CODE).unwrap();
        let png = STANDARD.decode(qr.png_base64()).unwrap();
        let (side, rows) = unpack(&png);
        assert_eq!(side, qr.side() * PIXELS_PER_MODULE);
        assert_eq!(rows.len(), side);
        let read = scan(side, |x, y| rows[y][x / 8] >> (7 - x % 8) & 1 == 0);
        assert_eq!(read, BR_CODE);
        assert!(png.len() < 2500, "the image has {} bytes", png.len());
    }

    #[test]
    fn a_scanner_reads_the_image_to_print() {
        const ADDRESS: &str = "https://pay.example.com/pay/7fQxK2mN9pRs";
        let qr = Qr::encode(ADDRESS).unwrap();
        let png = qr.printed_png();
        let (side, rows) = unpack(&png);
        assert_eq!(side, qr.side() * PIXELS_PER_PRINTED_MODULE);
        assert_eq!(rows.len(), side);
        let is_dark = |x: usize, y: usize| rows[y][x / 8] >> (7 - x % 8) & 1 == 0;
        let center = |module: usize| module * PIXELS_PER_PRINTED_MODULE + 8;
        assert_eq!(scan(qr.side(), |x, y| is_dark(center(x), center(y))), ADDRESS);
        assert!(png.len() < 8_000, "the image has {} bytes", png.len());
    }

    #[test]
    fn a_scanner_reads_the_terminal() {
        let qr = Qr::encode(BR_CODE).unwrap();
        let text = qr.terminal();
        let lines: Vec<Vec<char>> = text
            .lines()
            .map(|line| {
                let line = line.strip_prefix(BLACK_ON_WHITE).unwrap();
                line.strip_suffix(RESET).unwrap().chars().collect()
            })
            .collect();
        let read = scan(qr.side(), |x, y| {
            let half = if y % 2 == 0 { '▀' } else { '▄' };
            lines[y / 2][x] == half || lines[y / 2][x] == '█'
        });
        assert_eq!(read, BR_CODE);
    }

    #[test]
    fn four_light_modules_surround_the_code() {
        let qr = Qr::encode(BR_CODE).unwrap();
        let dark = stroke(&qr.svg_path());
        let code = 4..qr.side() - 4;
        assert!(dark.iter().all(|(x, y)| code.contains(x) && code.contains(y)));
        // The corners of three finder patterns touch the quiet zone on each side.
        let last = qr.side() - 5;
        assert!([(4, 4), (last, 4), (4, last)].iter().all(|corner| dark.contains(corner)));
    }

    #[test]
    fn the_longest_pix_code_fits_and_a_book_does_not() {
        assert!(Qr::encode(&"7".repeat(512)).is_ok());
        assert!(Qr::encode(&"A longer story. ".repeat(300)).is_err());
    }
}
