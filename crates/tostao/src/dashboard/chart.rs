//! Charts as SVG: bars and lines over days, drawn on the server with attributes alone, because the
//! content security policy allows no `style`.
//!
//! A chart stands in a `figure` with its axis in HTML and with a table of the same numbers
//! (`dashboard/chart.html`). Series are distinguished by their form and a label, never by colour
//! alone. Everything is computed in integers.

/// How far apart two points are, and how wide a bar is: the rest is the gap.
const STEP: i64 = 10;
const BAR: i64 = 8;
/// How high the picture is.
const HEIGHT: i64 = 100;

/// A number of a series; the label is that of its row in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    pub value: i64,
    /// As it stands in the table.
    pub shown: String,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Bars,
    Line,
    /// Bars from a first to a last number, and between them those that lead from one to the other.
    Waterfall,
}

/// Numbers of one kind, one for each label of the chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    pub name: String,
    pub form: Form,
    pub points: Vec<Point>,
}

/// A bar: a rectangle from the zero line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    pub x: i64,
    pub y: i64,
    pub width: i64,
    pub height: i64,
}

/// A series as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawn {
    Bars(Vec<Bar>),
    /// The corners of a line, as the attribute `points` takes them.
    Line(String),
}

/// A chart, ready for its template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// What it shows, above it and for those who do not see it.
    pub title: String,
    /// What the rows of the table are, such as "day".
    pub row: String,
    pub labels: Vec<String>,
    pub series: Vec<Series>,
    pub drawn: Vec<Drawn>,
    /// The greatest number, as it stands in the table.
    pub most: String,
    pub width: i64,
    pub height: i64,
    /// Where zero is.
    pub zero: i64,
}

impl Chart {
    /// Draws series over the same labels; `None` if there is nothing to draw.
    pub fn draw(
        title: String,
        row: String,
        labels: Vec<String>,
        series: Vec<Series>,
    ) -> Option<Self> {
        let points = || series.iter().flat_map(|series| &series.points);
        let most = points().max_by_key(|point| point.value)?;
        if labels.is_empty() || points().all(|point| point.value == 0) {
            return None;
        }
        let ends = || series.iter().flat_map(Series::spans).flat_map(|(from, to)| [from, to]);
        let scale = Scale {
            least: ends().min().unwrap_or(0).min(0),
            most: ends().max().unwrap_or(0).max(0),
        };
        let draw = |series: &Series| match series.form {
            Form::Bars | Form::Waterfall => Drawn::Bars(bars(&series.spans(), scale)),
            Form::Line => Drawn::Line(line(&series.points, scale)),
        };
        Some(Self {
            title,
            row,
            drawn: series.iter().map(draw).collect(),
            most: most.shown.clone(),
            width: STEP * i64::try_from(labels.len()).unwrap_or(i64::MAX / STEP),
            height: HEIGHT,
            zero: scale.y(0),
            labels,
            series,
        })
    }

    /// The rows of the table: a label, and the number of each series.
    pub fn rows(&self) -> Vec<(&str, Vec<&str>)> {
        let numbers = |index: usize| {
            let points = self.series.iter().filter_map(|series| series.points.get(index));
            points.map(|point| point.shown.as_str()).collect()
        };
        let labels = self.labels.iter().enumerate();
        labels.map(|(index, label)| (label.as_str(), numbers(index))).collect()
    }

    /// Whether each bar needs its label below it.
    pub fn is_waterfall(&self) -> bool {
        self.series.iter().any(|series| series.form == Form::Waterfall)
    }

    /// The labels at both ends of the axis.
    pub fn ends(&self) -> (&str, &str) {
        let first = self.labels.first().map_or("", String::as_str);
        (first, self.labels.last().map_or("", String::as_str))
    }
}

impl Series {
    /// From where to where each number reaches.
    fn spans(&self) -> Vec<(i64, i64)> {
        let last = self.points.len().saturating_sub(1);
        let mut level = 0_i64;
        let span = |(index, point): (usize, &Point)| {
            if self.form != Form::Waterfall || index == 0 || index == last {
                level = point.value;
                return (0, point.value);
            }
            let from = level;
            level = level.saturating_add(point.value);
            (from, level)
        };
        self.points.iter().enumerate().map(span).collect()
    }
}

/// The range of the numbers, zero included.
#[derive(Debug, Clone, Copy)]
struct Scale {
    least: i64,
    most: i64,
}

impl Scale {
    /// The height of a number from above, rounded to the nearest unit.
    fn y(self, value: i64) -> i64 {
        let (least, most) = (i128::from(self.least), i128::from(self.most));
        let range = (most - least).max(1);
        let from_top = (most - i128::from(value)) * i128::from(HEIGHT) + range / 2;
        i64::try_from(from_top / range).unwrap_or(HEIGHT)
    }
}

fn bars(spans: &[(i64, i64)], scale: Scale) -> Vec<Bar> {
    let bar = |(index, (from, to)): (usize, &(i64, i64))| {
        let (start, end) = (scale.y(*from), scale.y(*to));
        // What is not nothing is seen.
        let height = (start - end).abs().max(i64::from(from != to));
        let y = if to >= from { start - height } else { start };
        Bar { x: left(index) + (STEP - BAR) / 2, y, width: BAR, height }
    };
    spans.iter().enumerate().map(bar).collect()
}

fn line(points: &[Point], scale: Scale) -> String {
    let corner = |(index, point): (usize, &Point)| {
        format!("{},{}", left(index) + STEP / 2, scale.y(point.value))
    };
    points.iter().enumerate().map(corner).collect::<Vec<_>>().join(" ")
}

fn left(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX / STEP) * STEP
}

#[cfg(test)]
mod tests {
    use askama::Template;

    use super::{Bar, Chart, Drawn, Form, Point, Series};
    use crate::platform::messages::Lang;

    #[derive(Template)]
    #[template(path = "dashboard/chart.html")]
    struct Page {
        lang: Lang,
        chart: Chart,
    }

    fn chart(form: Form, values: &[i64]) -> Option<Chart> {
        let point = |value: &i64| Point { value: *value, shown: format!("R$ {value}") };
        let points = values.iter().map(point).collect();
        let labels = (1..=values.len()).map(|day| format!("{day} <nov>")).collect();
        let series = vec![Series { name: "Vendido & pago".to_owned(), form, points }];
        Chart::draw("Vendas".to_owned(), "Dia".to_owned(), labels, series)
    }

    #[test]
    fn bars_stand_on_zero_and_the_greatest_is_as_high_as_the_picture() {
        let drawn =
            chart(Form::Bars, &[0, 50, 100, 1, -100]).map(|chart| (chart.zero, chart.drawn));
        let bar = |x, y, height| Bar { x, y, width: 8, height };
        let bars =
            vec![bar(1, 50, 0), bar(11, 25, 25), bar(21, 0, 50), bar(31, 49, 1), bar(41, 50, 50)];
        assert_eq!(drawn, Some((50, vec![Drawn::Bars(bars)])));
    }

    #[test]
    fn the_steps_of_a_waterfall_lead_from_its_first_bar_to_its_last() {
        let drawn = chart(Form::Waterfall, &[50, 50, -25, 75]).map(|chart| chart.drawn);
        let bar = |x, y, height| Bar { x, y, width: 8, height };
        let bars = vec![bar(1, 50, 50), bar(11, 0, 50), bar(21, 0, 25), bar(31, 25, 75)];
        assert_eq!(drawn, Some(vec![Drawn::Bars(bars)]));
    }

    #[test]
    fn a_line_goes_through_the_middle_of_each_day() {
        let drawn = chart(Form::Line, &[0, 10, 5]).map(|chart| chart.drawn);
        assert_eq!(drawn, Some(vec![Drawn::Line("5,100 15,0 25,50".to_owned())]));
    }

    #[test]
    fn nothing_is_drawn_without_a_number() {
        assert_eq!(chart(Form::Bars, &[]), None);
        assert_eq!(chart(Form::Bars, &[0, 0]), None);
        assert!(chart(Form::Bars, &[i64::MIN, i64::MAX]).is_some());
    }

    #[test]
    fn a_chart_has_a_table_and_no_style_and_escapes_its_labels() {
        let chart = chart(Form::Bars, &[5, 7]).expect("there are numbers");
        let html = Page { lang: Lang::PtBr, chart }.render().expect("renders");
        assert!(!html.contains("style"), "{html}");
        assert!(!html.contains("<nov>"), "{html}");
        for part in ["<figure", "<svg", "role=\"img\"", "<details", "<caption", "R$ 7"] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert_eq!(html.matches("<rect").count(), 2, "{html}");
        assert_eq!(html.matches("scope=\"row\"").count(), 2, "{html}");
    }
}
