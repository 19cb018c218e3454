//! What a logo is: a PNG or a JPEG, by its first bytes, with the size that its header names.
//!
//! Nothing is decoded here. Browsers draw it, as an image and nothing else: the response says what
//! it is, and that it runs nothing.

use db::text_enum;

use crate::platform::error::FieldFault;

/// The largest file.
pub const BYTES_MAX: usize = 64 * 1024;
/// The largest width and height, in pixels.
const SIDE_MAX: u32 = 1_024;

const PNG: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// The length and the name of the part with which every PNG begins.
const PNG_HEADER: [u8; 8] = *b"\0\0\0\x0dIHDR";
const JPEG: [u8; 2] = [0xff, 0xd8];

text_enum! {
    /// The format of a picture.
    pub enum Format {
        Png = "image/png",
        Jpeg = "image/jpeg",
    }
}

/// A picture: its format, and its size in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    pub format: Format,
    pub width: u32,
    pub height: u32,
}

/// Why a file is no logo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFault {
    /// It is neither a PNG nor a JPEG.
    NotAPicture,
    /// The file has more than 64 KiB.
    TooLarge,
    /// It has more than 1024 pixels a side.
    TooWide,
}

/// Reads what a file is.
pub fn read(file: &[u8]) -> Result<Picture, PictureFault> {
    if file.len() > BYTES_MAX {
        return Err(PictureFault::TooLarge);
    }
    let sized = |format, size: Option<(u32, u32)>| size.map(|size| (format, size));
    let found = sized(Format::Png, png(file)).or_else(|| sized(Format::Jpeg, jpeg(file)));
    let (format, (width, height)) = found.ok_or(PictureFault::NotAPicture)?;
    match width.max(height) {
        _ if width == 0 || height == 0 => Err(PictureFault::NotAPicture),
        side if side > SIDE_MAX => Err(PictureFault::TooWide),
        _ => Ok(Picture { format, width, height }),
    }
}

fn png(file: &[u8]) -> Option<(u32, u32)> {
    let header = file.strip_prefix(&PNG)?.strip_prefix(&PNG_HEADER)?;
    let (width, rest) = header.split_first_chunk()?;
    let (height, _) = rest.split_first_chunk()?;
    Some((u32::from_be_bytes(*width), u32::from_be_bytes(*height)))
}

/// A JPEG is a row of segments; one of them is its frame, which has the size.
fn jpeg(file: &[u8]) -> Option<(u32, u32)> {
    let mut rest = file.strip_prefix(&JPEG)?;
    loop {
        let (marker, segment) = match rest {
            // Bytes that fill the space before a marker.
            [0xff, 0xff, ..] => {
                rest = &rest[1..];
                continue;
            }
            [0xff, marker, segment @ ..] => (*marker, segment),
            _ => return None,
        };
        let (length, content) = segment.split_first_chunk()?;
        if is_frame(marker) {
            let [_, high, low, wide, narrow, ..] = content else { return None };
            let side = |bytes| u32::from(u16::from_be_bytes(bytes));
            return Some((side([*wide, *narrow]), side([*high, *low])));
        }
        // The length counts itself. Nothing but the picture follows a scan.
        let length = usize::from(u16::from_be_bytes(*length));
        if length < 2 || matches!(marker, 0xd9 | 0xda) {
            return None;
        }
        rest = segment.get(length..)?;
    }
}

/// Three of the markers in the range of frames are tables and a reserve.
fn is_frame(marker: u8) -> bool {
    matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc)
}

impl From<PictureFault> for FieldFault {
    fn from(fault: PictureFault) -> Self {
        match fault {
            PictureFault::NotAPicture => Self::new("INVALID_IMAGE", "must be a PNG or a JPEG"),
            PictureFault::TooLarge => Self::new("OUT_OF_RANGE", "must have at most 64 KiB"),
            PictureFault::TooWide => {
                Self::new("OUT_OF_RANGE", "must have at most 1024 by 1024 pixels")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, Format, Picture, PictureFault, read};

    fn png(width: u32, height: u32) -> Vec<u8> {
        let header = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
        [&header[..], &width.to_be_bytes(), &height.to_be_bytes(), b"\x08\x06\0\0\0"].concat()
    }

    fn jpeg(frame: u8, width: u16, height: u16) -> Vec<u8> {
        let start = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xdb\0\x03c\xff";
        let size = [height.to_be_bytes(), width.to_be_bytes()].concat();
        [&start[..], &[frame, 0, 11, 8], &size, b"\x01\x01\x11\0"].concat()
    }

    #[test]
    fn a_picture_is_known_by_its_first_bytes_and_has_the_size_of_its_header() {
        let picture = |format, width, height| Ok(Picture { format, width, height });
        assert_eq!(read(&png(640, 48)), picture(Format::Png, 640, 48));
        for frame in [0xc0, 0xc1, 0xc2] {
            assert_eq!(read(&jpeg(frame, 300, 1_024)), picture(Format::Jpeg, 300, 1_024));
        }
    }

    #[test]
    fn what_is_no_picture_or_too_large_is_refused() {
        let long = [png(10, 10), vec![0; BYTES_MAX]].concat();
        let table: [(&[u8], PictureFault); 11] = [
            (b"", PictureFault::NotAPicture),
            (b"GIF89a\x01\0\x01\0", PictureFault::NotAPicture),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", PictureFault::NotAPicture),
            (b"\x89PNG\r\n\x1a\n", PictureFault::NotAPicture),
            (b"\xff\xd8\xff\xd9\0\0", PictureFault::NotAPicture),
            (b"\xff\xd8\xff\xe0\0\0\xff\xc0", PictureFault::NotAPicture),
            (&png(0, 10), PictureFault::NotAPicture),
            (&jpeg(0xc4, 10, 10), PictureFault::NotAPicture),
            (&png(1_025, 10), PictureFault::TooWide),
            (&jpeg(0xc0, 10, 1_025), PictureFault::TooWide),
            (&long, PictureFault::TooLarge),
        ];
        for (file, fault) in table {
            assert_eq!(read(file), Err(fault), "{}", String::from_utf8_lossy(file));
        }
    }

    #[test]
    fn no_beginning_of_a_picture_is_one() {
        for whole in [&png(10, 10)[..24], &jpeg(0xc0, 10, 10)[..23]] {
            assert!(read(whole).is_ok());
            for length in 0..whole.len() {
                let fault = Err(PictureFault::NotAPicture);
                assert_eq!(read(&whole[..length]), fault, "{length}");
            }
        }
    }
}
