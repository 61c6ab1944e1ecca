//! Tables of text.

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// Formats rows under a header.
///
/// Each column is as wide as its widest text.
pub(crate) fn table<R: AsRef<[String]>>(head: &[(&str, Side)], rows: &[R]) -> String {
    let mut widths: Vec<_> = head.iter().map(|(title, _)| title.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row.as_ref()) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let columns = cells.zip(&widths).zip(head);
        let padded = columns.map(|((cell, &width), (_, side))| match side {
            Side::Left => format!("{cell:<width$}"),
            Side::Right => format!("{cell:>width$}"),
        });
        let line: Vec<String> = padded.collect();
        format!("{}\n", line.join("  ").trim_end())
    };
    let titles = line(&mut head.iter().map(|(title, _)| *title));
    let rows = rows.iter().map(|row| line(&mut row.as_ref().iter().map(String::as_str)));
    std::iter::once(titles).chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_have_to_be() {
        let rows = [["reaper".to_owned(), "7".to_owned()], ["é".to_owned(), "1234567".to_owned()]];
        assert_eq!(
            table(&[("NAME", Side::Left), ("DONE", Side::Right)], &rows),
            "NAME       DONE\nreaper        7\né       1234567\n"
        );
    }
}
