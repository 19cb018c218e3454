//! An XLSX workbook of one sheet, whose rows wait in a file.

use brazil::calendar::sao_paulo_date_time;
use rust_xlsxwriter::{ExcelDateTime, Format, XlsxError};
use tokio::task::spawn_blocking;

use crate::platform::error::{Error, Result};
use crate::platform::spreadsheet::Cell;

/// How many rows a workbook may have; people open it whole.
pub const ROWS_MAX: usize = 100_000;
/// In characters.
const COLUMN_WIDTH: f64 = 18.0;

/// A workbook that is being written.
pub struct Workbook {
    book: rust_xlsxwriter::Workbook,
    rows: u32,
    money: Format,
    time: Format,
}

impl Workbook {
    /// A workbook with the headings of its columns.
    pub fn new(head: &[&str]) -> Result<Self> {
        let mut book = rust_xlsxwriter::Workbook::new();
        let bold = Format::new().set_bold();
        let sheet = book.add_worksheet_with_constant_memory().map_err(failed)?;
        for (column, name) in (0..).zip(head) {
            sheet.set_column_width(column, COLUMN_WIDTH).map_err(failed)?;
            sheet.write_with_format(0, column, *name, &bold).map_err(failed)?;
        }
        sheet.set_freeze_panes(1, 0).map_err(failed)?;
        let money = Format::new().set_num_format("#,##0.00");
        let time = Format::new().set_num_format("dd/mm/yyyy hh:mm:ss");
        Ok(Self { book, rows: 0, money, time })
    }

    /// How many rows it has below its headings.
    pub fn rows(&self) -> usize {
        usize::try_from(self.rows).unwrap_or(usize::MAX)
    }

    /// Adds rows.
    pub fn push(&mut self, rows: Vec<Vec<Cell>>) -> Result<()> {
        for row in rows {
            self.rows += 1;
            for (column, cell) in (0..).zip(row) {
                self.write(column, cell).map_err(failed)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, column: u16, cell: Cell) -> Result<(), XlsxError> {
        let (row, sheet) = (self.rows, self.book.worksheet_from_index(0)?);
        match cell {
            Cell::Empty => return Ok(()),
            Cell::Text(text) => sheet.write_string(row, column, text)?,
            Cell::Whole(number) => sheet.write_number(row, column, as_number(number))?,
            Cell::Money(cents) => {
                let reais = as_number(cents.get()) / 100.0;
                sheet.write_number_with_format(row, column, reais, &self.money)?
            }
            Cell::At(at) => {
                let at = sao_paulo_date_time(at.micros());
                let at = ExcelDateTime::parse_from_str(&at.strftime("%FT%T").to_string())?;
                sheet.write_datetime_with_format(row, column, &at, &self.time)?
            }
        };
        Ok(())
    }

    /// The bytes of the file.
    pub async fn finish(mut self) -> Result<Vec<u8>> {
        // Compressing a long list takes seconds.
        let written = spawn_blocking(move || self.book.save_to_buffer()).await;
        written.map_err(|error| Error::Internal(error.into()))?.map_err(failed)
    }
}

/// Spreadsheets have no other numbers than these.
#[expect(clippy::cast_precision_loss, reason = "exact up to ninety trillion reais in cents")]
fn as_number(whole: i64) -> f64 {
    whole as f64
}

fn failed(error: XlsxError) -> Error {
    Error::Internal(error.into())
}
