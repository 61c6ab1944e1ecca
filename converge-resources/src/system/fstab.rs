//! Lines of `/etc/fstab`.

use std::fmt;
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::Follow;

use crate::file::edit::lines;
use crate::mount_table;

/// The path of the table.
pub(super) const FILE: &str = "/etc/fstab";

/// The options field of a line without options.
pub(super) const DEFAULTS: &str = "defaults";

/// The number of fields of a line. Text after them is left unchanged.
const FIELDS: usize = 6;

/// A mount or swap entry of the table. Its texts have no escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) source: String,
    /// The mount point, or `none` for swap.
    pub(super) target: String,
    pub(super) kind: String,
    /// The options, separated by commas.
    pub(super) options: String,
    pub(super) dump: u32,
    pub(super) pass: u32,
}

impl Entry {
    fn fields(&self) -> [String; FIELDS] {
        let Self { source, target: place, kind, options, dump, pass } = self;
        [source.clone(), place.clone(), kind.clone(), options.clone(), dump.to_string(), pass.to_string()]
            .map(|field| escaped(&field))
    }
}

/// Writes the line for the table.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fields().join(" "))
    }
}

/// The identity of the line that an edit changes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key<'a> {
    /// The line with this mount point.
    Place(&'a str),
    /// The line with this swap source.
    Swap(&'a str),
}

impl Key<'_> {
    fn is_of(self, entry: &Entry) -> bool {
        match self {
            Self::Place(path) => entry.kind != "swap" && plain(&entry.target) == path,
            Self::Swap(source) => entry.kind == "swap" && entry.source == source,
        }
    }
}

/// Removes the slash at the end of a path.
fn plain(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => path,
        plain => plain,
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// The previous entry.
    pub(super) before: Option<Entry>,
    pub(super) text: String,
}

/// A line split into its fields, each with the blanks before it, and the rest of the line.
struct Cut<'t> {
    fields: Vec<(&'t str, &'t str)>,
    rest: &'t str,
}

fn cut(body: &str) -> Cut<'_> {
    let mut fields = Vec::new();
    let mut rest = body;
    while fields.len() < FIELDS {
        let word = rest.trim_start_matches([' ', '\t']);
        if word.is_empty() {
            break;
        }
        let blanks = rest.get(..rest.len() - word.len()).unwrap_or_default();
        let end = word.find([' ', '\t']).unwrap_or(word.len());
        let (word, tail) = word.split_at(end);
        fields.push((blanks, word));
        rest = tail;
    }
    Cut { fields, rest }
}

fn parse(body: &str) -> Option<Entry> {
    let Cut { fields, .. } = cut(body);
    let field = |at: usize| fields.get(at).map(|(_, word)| unescaped(word));
    let source = field(0).filter(|_| !body.trim_start().starts_with('#'))?;
    let number = |at: usize| field(at).and_then(|field| field.parse().ok()).unwrap_or(0);
    Some(Entry {
        source,
        target: field(1)?,
        kind: field(2)?,
        options: field(3).unwrap_or_else(|| DEFAULTS.to_owned()),
        dump: number(4),
        pass: number(5),
    })
}

/// Replaces the fields that differ, and keeps the alignment of the line.
fn rewritten(body: &str, before: &Entry, target: &Entry) -> String {
    let cut = cut(body);
    let mut line = String::new();
    let (before, target) = (before.fields(), target.fields());
    for (index, (before, target)) in before.iter().zip(&target).enumerate() {
        let (blanks, word) = cut.fields.get(index).copied().unwrap_or((" ", ""));
        line.push_str(blanks);
        line.push_str(if before == target && !word.is_empty() { word } else { target });
    }
    line + cut.rest
}

/// Puts an entry into a text, in the place of the line with its key, or removes that line.
///
/// # Errors
///
/// Returns an error if several lines have the key.
pub(super) fn edit(key: Key<'_>, target: Option<&Entry>, text: &str) -> Result<Edited, String> {
    let mut all_lines = lines::lines(text);
    let ending = lines::ending(&all_lines);
    let entries = all_lines.iter().map(|line| parse(line.body)).enumerate();
    let mut mine: Vec<(usize, Entry)> =
        entries.filter_map(|(at, entry)| Some((at, entry.filter(|entry| key.is_of(entry))?))).collect();
    if mine.len() > 1 {
        let name = match key {
            Key::Place(name) | Key::Swap(name) => name,
        };
        let places: Vec<String> = mine.iter().map(|(at, _)| (at + 1).to_string()).collect();
        return Err(format!("{name} is there several times, in lines {}: leave one", places.join(", ")));
    }
    let line;
    let before = match (mine.pop(), target) {
        (None, None) => None,
        (None, Some(wanted)) => {
            line = wanted.to_string();
            let end = all_lines.len();
            lines::insert(&mut all_lines, end, [line.as_str()], ending);
            None
        }
        (Some((at, before)), None) => {
            all_lines.remove(at);
            Some(before)
        }
        (Some((at, before)), Some(wanted)) => {
            if before != *wanted
                && let Some(place) = all_lines.get_mut(at)
            {
                line = rewritten(place.body, &before, wanted);
                place.body = &line;
            }
            Some(before)
        }
    };
    Ok(Edited { before, text: lines::text(all_lines) })
}

/// Whether systemd is the first process.
///
/// It makes units of the lines, so it has to be reloaded after a change.
pub(super) async fn systemd_runs(cx: &Context) -> Result<bool> {
    Ok(cx.system().files().metadata(Path::new("/run/systemd/system"), Follow::Links).await?.is_some())
}

/// Escapes a field as the C library does, because a blank ends a field.
fn escaped(field: &str) -> String {
    let mut escaped = String::new();
    for char in field.chars() {
        match char {
            ' ' => escaped.push_str("\\040"),
            '\t' => escaped.push_str("\\011"),
            '\n' => escaped.push_str("\\012"),
            '\\' => escaped.push_str("\\134"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn unescaped(field: &str) -> String {
    mount_table::unescaped(field.as_bytes()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(source: &str, place: &str, options: &str) -> Entry {
        let [source, place, options] = [source, place, options].map(str::to_owned);
        Entry { source, target: place, kind: "ext4".to_owned(), options, dump: 0, pass: 2 }
    }

    #[test]
    fn edits() {
        let check = |wanted: Option<&Entry>, before: &str, expect: &str| {
            let key = Key::Place("/srv/a b");
            let actual = edit(key, wanted, before)
                .map_or_else(|error| format!("error: {error}"), |edited| edited.text);
            assert_eq!(actual, expect, "{wanted:?} in {before:?}");
            if !actual.starts_with("error") {
                assert_eq!(edit(key, wanted, &actual).unwrap().text, actual, "twice: {before:?}");
            }
        };
        let target = entry("/dev/sdb", "/srv/a b", "defaults");
        let new_entry = Some(&target);
        check(new_entry, "", "/dev/sdb /srv/a\\040b ext4 defaults 0 2\n");
        check(new_entry, "# c\r\n", "# c\r\n/dev/sdb /srv/a\\040b ext4 defaults 0 2\r\n");
        check(new_entry, "# c", "# c\n/dev/sdb /srv/a\\040b ext4 defaults 0 2\n");
        let original = "\t/dev/sdb\t/srv/a\\040b/  ext4  defaults 0  2 # mine\nx";
        check(new_entry, original, "\t/dev/sdb\t/srv/a\\040b  ext4  defaults 0  2 # mine\nx");
        check(
            new_entry,
            "UUID=1  /srv/a\\040b\text4   noatime   0 2  # mine\nx",
            "/dev/sdb  /srv/a\\040b\text4   defaults   0 2  # mine\nx",
        );
        check(new_entry, "/dev/sdb /srv/a\\040b ext4\n", "/dev/sdb /srv/a\\040b ext4 defaults 0 2\n");
        check(
            new_entry,
            "#/dev/sdb /srv/a\\040b ext4\n",
            "#/dev/sdb /srv/a\\040b ext4\n/dev/sdb /srv/a\\040b ext4 defaults 0 2\n",
        );
        let twice = "a /srv/a\\040b ext4\nx /x ext4\nb /srv/a\\040b ext4\n";
        check(new_entry, twice, "error: /srv/a b is there several times, in lines 1, 3: leave one");
        check(None, "x\na /srv/a\\040b ext4\ny", "x\ny");
        check(None, "none none swap sw 0 0", "none none swap sw 0 0");

        let swap =
            Entry { kind: "swap".to_owned(), target: "none".to_owned(), pass: 0, ..entry("/s", "", "sw") };
        let text = |text: &str| edit(Key::Swap("/s"), Some(&swap), text).unwrap().text;
        assert_eq!(
            text("/s none swap sw,pri=1 0 0\n/t none swap sw\n"),
            "/s none swap sw 0 0\n/t none swap sw\n"
        );
        assert_eq!(text("/s /s ext4\n"), "/s /s ext4\n/s none swap sw 0 0\n");
    }

    proptest! {
        #[test]
        fn a_field_and_its_text_are_the_same(field in "([ \t\\\\#0-7]|\\PC){1,12}") {
            let field = format!("x{field}");
            prop_assert_eq!(unescaped(&escaped(&field)), field.clone());
            prop_assert!(!escaped(&field).contains([' ', '\t']));
        }

        #[test]
        fn other_lines_are_kept(before in "((/dev/a  /srv ext4 ro|/dev/b\t/b\\\\040c xfs|# c|none none swap sw|)(\n|\r\n)){0,6}", is_wanted: bool) {
            let target = entry("/dev/new", "/srv", "defaults");
            let Ok(edited) = edit(Key::Place("/srv"), is_wanted.then_some(&target), &before) else { return Ok(()) };
            let others = |text: &str| -> Vec<String> {
                text.split_inclusive('\n').filter(|line| !line.contains("/srv ")).map(str::to_owned).collect()
            };
            prop_assert_eq!(others(&edited.text), others(&before));
        }

        #[test]
        fn no_text_makes_it_panic(text in "([#/ \t\r\n\\\\0-9]|swap|\\PC){0,30}") {
            let _ = edit(Key::Place("/"), Some(&entry("a", "/", "b")), &text);
            let _ = edit(Key::Swap("/"), None, &text);
        }
    }
}
