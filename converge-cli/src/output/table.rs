//! Tables.

use converge_core::view::render::sanitize_line;
use unicode_width::UnicodeWidthStr as _;

/// The head of a column, and a function that formats its cell of a row.
pub(crate) type Column<'a, T> = (&'a str, &'a dyn Fn(&T) -> String);

/// Formats a table without empty columns; terminal control characters are escaped.
pub(crate) fn table<T>(columns: &[Column<'_, T>], rows: &[T]) -> String {
    let columns: Vec<(usize, Vec<String>)> = columns
        .iter()
        .map(|(head, cell)| {
            let cells = rows.iter().map(|row| sanitize_line(&cell(row)).into_owned());
            [(*head).to_owned()].into_iter().chain(cells).collect::<Vec<_>>()
        })
        .enumerate()
        .filter(|(at, cells)| *at == 0 || cells.iter().skip(1).any(|cell| !cell.is_empty()))
        .map(|(_, cells)| (cells.iter().map(|cell| cell.width()).max().unwrap_or_default(), cells))
        .collect();
    let line = |row: usize| {
        let cells = columns.iter().filter_map(|(width, cells)| {
            let cell = cells.get(row)?;
            Some(format!("{cell}{}", " ".repeat(width - cell.width())))
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    (0..=rows.len()).map(line).collect()
}
