//! The barcode as a drawing in whole modules, with the margins that scanners need.

use std::fmt::Write as _;

use brazil::boleto::Barcode;

/// Light modules at each end: 5 mm where the whole code is 103 mm wide.
const QUIET_ZONE: u32 = 20;

/// A dark bar: its position, quiet zone included, and its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    pub x: u32,
    pub width: u8,
}

/// The dark bars from left to right.
pub fn bars(barcode: &Barcode) -> Vec<Bar> {
    let mut x = QUIET_ZONE;
    let mut bars = Vec::new();
    for (place, width) in barcode.bar_widths().into_iter().enumerate() {
        if place % 2 == 0 {
            bars.push(Bar { x, width });
        }
        x += u32::from(width);
    }
    bars
}

/// The total width in modules, quiet zones included.
pub fn modules(barcode: &Barcode) -> u32 {
    let widths = barcode.bar_widths().into_iter().map(u32::from);
    widths.sum::<u32>() + 2 * QUIET_ZONE
}

/// The bars as the `d` of one SVG path, one unit high.
pub fn svg_path(barcode: &Barcode) -> String {
    let mut path = String::new();
    let mut pen = 0;
    for Bar { x, width } in bars(barcode) {
        let step = if path.is_empty() { 'M' } else { 'm' };
        // Closing a bar moves the pen back to where the bar started.
        write!(path, "{step}{} 0v1h{width}v-1z", x - pen).expect("memory accepts every write");
        pen = x;
    }
    path
}

#[cfg(test)]
mod tests {
    use brazil::boleto::Barcode;

    use super::{Bar, bars, modules, svg_path};

    const DIGITS: &str = "00191165600000150000000003128557000000004217";

    fn barcode() -> Barcode {
        Barcode::parse(DIGITS).unwrap()
    }

    #[test]
    fn the_code_has_405_modules_and_20_light_ones_at_each_end() {
        assert_eq!(modules(&barcode()), 405 + 40);
        let bars = bars(&barcode());
        assert_eq!(bars[..2], [Bar { x: 20, width: 1 }, Bar { x: 22, width: 1 }]);
        let last = bars.last().unwrap();
        assert_eq!((last.x + u32::from(last.width), last.width), (425, 1));
        assert!(bars.is_sorted_by(|a, b| a.x + u32::from(a.width) < b.x));
    }

    #[test]
    fn the_path_draws_the_same_bars() {
        let mut x = 0;
        let mut drawn = Vec::new();
        for step in svg_path(&barcode()).split(['M', 'm']).skip(1) {
            let (across, rest) = step.split_once(" 0v1h").unwrap();
            x += across.parse::<u32>().unwrap();
            drawn.push(Bar { x, width: rest.strip_suffix("v-1z").unwrap().parse().unwrap() });
        }
        assert_eq!(drawn, bars(&barcode()));
    }
}
