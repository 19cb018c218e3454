//! A sheet of A4, measured in millimetres from its upper left corner.

use pdf_writer::{Content, Name, Str};

use crate::glyphs::{Face, encoded, width};

/// Width and height of the sheet.
pub const SHEET: (f32, f32) = (210.0, 297.0);
pub const REGULAR: Name<'static> = Name(b"R");
pub const BOLD: Name<'static> = Name(b"B");

/// Points per millimetre.
const POINTS: f32 = 72.0 / 25.4;

/// A font size and weight.
#[derive(Debug, Clone, Copy)]
pub struct Type {
    pub face: Face,
    /// In points.
    pub size: f32,
}

/// The drawing on the sheet.
pub struct Paper(Content);

impl Type {
    /// The width of a text, in millimetres.
    pub fn width(self, text: &str) -> f32 {
        width(text, self.face) * self.size / POINTS
    }

    /// The available width in units of the font size, as [`crate::glyphs::fitted`] takes it.
    pub fn room(self, millimetres: f32) -> f32 {
        millimetres * POINTS / self.size
    }
}

impl Paper {
    /// Starts with an empty sheet.
    pub fn new() -> Self {
        Self(Content::new())
    }

    /// Draws a text that starts at this point.
    pub fn text(&mut self, x: f32, y: f32, style: Type, text: &str) {
        let font = if style.face == Face::Bold { BOLD } else { REGULAR };
        self.0
            .begin_text()
            .set_font(font, style.size)
            .next_line(x * POINTS, from_below(y))
            .show(Str(&encoded(text)))
            .end_text();
    }

    /// Draws a text that ends at this point.
    pub fn text_to(&mut self, x: f32, y: f32, style: Type, text: &str) {
        self.text(x - style.width(text), y, style, text);
    }

    /// Adds a rectangle to the shape that [`Paper::fill`] fills.
    pub fn rectangle(&mut self, (x, y): (f32, f32), (width, height): (f32, f32)) {
        self.0.rect(x * POINTS, from_below(y + height), width * POINTS, height * POINTS);
    }

    /// Fills the rectangles with black.
    pub fn fill(&mut self) {
        self.0.fill_nonzero();
    }

    /// Draws a line of this thickness.
    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), thickness: f32) {
        self.0
            .set_line_width(thickness * POINTS)
            .move_to(from.0 * POINTS, from_below(from.1))
            .line_to(to.0 * POINTS, from_below(to.1))
            .stroke();
    }

    /// Draws a dashed horizontal line, where the sheet is cut.
    pub fn cut(&mut self, from: f32, to: f32, y: f32) {
        self.0.set_dash_pattern([3.0, 3.0], 0.0);
        self.line((from, y), (to, y), 0.2);
        self.0.set_dash_pattern([], 0.0);
    }

    /// Returns the drawing.
    pub fn finish(self) -> Vec<u8> {
        self.0.finish().into_vec()
    }
}

/// PDF measures from the lower edge.
fn from_below(y: f32) -> f32 {
    (SHEET.1 - y) * POINTS
}
