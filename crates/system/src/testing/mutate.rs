//! Mutations of valid texts, which yield texts that are nearly valid.

/// Changes a text as a person might: cuts, copies and moves parts and lines, and inserts `pieces`.
///
/// The bytes determine the number, kind and place of the changes; the same bytes make the same changes.
pub fn mutated(text: &str, pieces: &[&str], bytes: impl IntoIterator<Item = u8>) -> String {
    let mut bytes = bytes.into_iter();
    let mut next = || usize::from(bytes.next().unwrap_or(0));
    let mut text = text.to_owned();
    for _ in 0..next() % 8 {
        change(&mut text, pieces, &mut next);
    }
    text
}

/// Makes one change; each byte decides one detail.
fn change(text: &mut String, pieces: &[&str], next: &mut impl FnMut() -> usize) {
    let mut place = || (next() * 256 + next()) * (text.len() + 1) / (1 << 16);
    let (from, to) = (text.floor_char_boundary(place()), text.floor_char_boundary(place()));
    // Most mistakes are small.
    let end = text.floor_char_boundary(from + next() % 40);
    let line = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        start..text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
    };
    let kind = next() % 6;
    let mut piece = || pieces.get(next() % pieces.len().max(1)).copied().unwrap_or_default();
    match kind {
        0 => text.replace_range(from..end, ""),
        1 => text.insert_str(from, piece()),
        2 => text.replace_range(from..end, piece()),
        3 => text.replace_range(line(from), ""),
        4 => {
            let copied = text[line(from)].to_owned();
            text.insert_str(to, &copied);
        }
        _ => {
            let copied = text[from..end].to_owned();
            text.insert_str(to, &copied);
        }
    }
}
