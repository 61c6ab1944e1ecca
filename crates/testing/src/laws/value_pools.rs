//! The values that the fields of a resource are tried with.

use super::patterns;
use crate::types::check;
use crate::types::footprint::kind;
use crate::types::schema::{BlockKind, Field, Kind, NameSource};
use crate::types::value::Value;

/// Texts that people write, and texts that authors tend to forget.
const TEXTS: [&str; 12] = [
    "a",
    "two words",
    "b\nc\n",
    "",
    " ",
    "-",
    "\u{e4}\u{1f980}'\"$\\",
    "a/../b",
    "0",
    "-1",
    "18446744073709551616",
    "\0",
];

/// Texts in the formats of types that are read from text; the wrong format serves as an invalid value.
const FORMS: [&str; 19] = [
    "0644",
    "u=rwx,go=rx",
    "1",
    "65535",
    "1.5",
    "true",
    "10s",
    "1m30s",
    "2020-02-29T12:00:00Z",
    "2020-02-29",
    "/srv/a",
    "http://localhost/a",
    "127.0.0.1",
    "::1",
    "localhost:80",
    "127.0.0.1:80",
    "a=b",
    "true {}",
    "1G",
];

const PATHS: [&str; 7] =
    ["/srv/a", "/srv/b/c", "/srv/\u{e4} '\"$", "relative", "/", "/srv/a/", "/srv/../srv/./a"];

const ACCOUNTS: [&str; 4] = ["root", "daemon", "ghost", "nogroup"];

/// The accounts for resources that create one; the first ones do not exist at the start.
const NEW_ACCOUNTS: [&str; 4] = ["ghost", "shade", "daemon", "root"];

const NUMBERS: [i128; 10] = [1, 0, 2, 7, -1, 8, 0o644, 65_536, i64::MAX as i128, i64::MIN as i128];

/// The maximum number of values that are tried as a whole list or map.
const MAX_ITEMS: usize = 3;

/// The valid and invalid values of one field.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    pub(super) name: &'static str,
    pub(super) required: bool,
    pub(super) valid: Vec<Value>,
    pub(super) invalid: Vec<Value>,
}

impl Pool {
    /// Creates the pool from the schema of a field; values `given` by the author replace the valid ones.
    pub(super) fn new(field: &Field, examples: Option<&Vec<Value>>) -> Self {
        let mut tried: Vec<Value> = Vec::new();
        for value in candidates(field) {
            if !tried.contains(&value) {
                tried.push(value);
            }
        }
        let (mut valid, invalid): (Vec<_>, Vec<_>) =
            tried.into_iter().partition(|value| check::check(field, value).is_ok());
        if let Some(examples) = examples {
            valid.clone_from(examples);
        }
        Self { name: field.name, required: field.required, valid, invalid }
    }
}

fn candidates(field: &Field) -> Vec<Value> {
    // A field that takes any text does not parse it, so the special formats are not needed.
    let is_free = TEXTS.iter().all(|text| check::check(field, &Value::from(*text)).is_ok());
    let words = field.valid_values.iter().map(|word| Value::from(*word));
    let names_a = |wanted: &str| {
        field.footprint.iter().any(|rule| rule.kind == wanted && matches!(rule.name, NameSource::Own(_)))
    };
    let texts: &[&str] = if names_a(kind::PATH) {
        &PATHS
    } else if names_a(kind::USER) || names_a(kind::GROUP) {
        if field.footprint.iter().any(|rule| rule.verb.provides()) { &NEW_ACCOUNTS } else { &ACCOUNTS }
    } else {
        &[]
    };
    let values = texts.iter().map(|text| Value::from(*text));
    let bounds = field.min.into_iter().chain(field.max).flat_map(around);
    let matching = field.pattern.map(patterns::texts).unwrap_or_default();
    // Texts that nearly match are tried as well.
    let nearly = matching
        .iter()
        .take(2)
        .flat_map(|text| [format!("{text} "), format!("{text}\n"), format!("-{text}")]);
    let nearly: Vec<Value> = nearly.map(Value::from).collect();
    let matching = matching.into_iter().map(Value::from);
    words
        .chain(matching)
        .chain(nearly)
        .chain(values)
        .chain(field.default.clone())
        .chain(bounds)
        .chain(of_kind(&field.kind, is_free))
        .collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a bound that is no 64-bit number is tried by its type")]
fn around(bound: f64) -> Vec<Value> {
    let integer = bound as i64;
    vec![
        integer.into(),
        integer.saturating_sub(1).into(),
        integer.saturating_add(1).into(),
        (bound + 0.5).into(),
    ]
}

/// Returns values of a kind, the plainest first, followed by values of other kinds.
fn of_kind(kind: &Kind, is_free: bool) -> Vec<Value> {
    let forms: &[&str] = if is_free { &[] } else { &FORMS };
    let texts = || TEXTS.iter().chain(forms).map(|text| Value::from(*text));
    let mut values = match kind {
        Kind::Bool => vec![true.into(), false.into()],
        Kind::Int { min, max } => {
            let bounds = [*min, *max].into_iter().flat_map(|bound| [bound, bound - 1, bound + 1]);
            let numbers = NUMBERS.into_iter().chain(bounds).filter_map(|number| i64::try_from(number).ok());
            numbers.map(Value::from).chain(texts()).collect()
        }
        Kind::Float => {
            let numbers = [1.5, 0.0, -1.5, f64::MAX, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY];
            numbers.into_iter().map(Value::from).chain(texts()).collect()
        }
        Kind::Duration => ["1s", "1m30s", "0s", "24h", "-1s", "soon"].into_iter().map(Value::from).collect(),
        Kind::Time => ["2020-02-29T12:00:00Z", "2020-02-29", "1969-12-31", "9999-12-31", "2021-02-29"]
            .into_iter()
            .map(Value::from)
            .collect(),
        Kind::Enum(words) => words.iter().map(|word| Value::from(*word)).chain(texts().take(4)).collect(),
        Kind::List(item) => lists(item),
        Kind::OneOrMany(item) => of_kind(item, is_free).into_iter().chain(lists(item)).collect(),
        Kind::Map(item) => {
            let entry = |name: &str, value: &Value| {
                Value::Map([(name.to_owned(), value.clone())].into_iter().collect())
            };
            let items = of_kind(item, false);
            let entries = items.iter().map(|item| entry("a", item));
            let names =
                items.first().into_iter().flat_map(|item| [entry("", item), entry("two words", item)]);
            let empty_map = Value::Map(std::iter::empty().collect());
            entries.take(12).chain(names).chain([empty_map]).collect()
        }
        Kind::Block(block) => blocks(block),
        Kind::Any | Kind::String => texts().collect(),
    };
    let nothing = Value::Map(std::iter::empty().collect());
    values.extend([1.into(), true.into(), Value::List(vec!["a".into()]), nothing, 1.5.into()]);
    values
}

fn lists(item: &Kind) -> Vec<Value> {
    let items = of_kind(item, false);
    let mut lists: Vec<Value> = items.iter().map(|item| Value::List(vec![item.clone()])).collect();
    for start in 0..2 {
        let slice: Vec<Value> = items.iter().skip(start).take(MAX_ITEMS).cloned().collect();
        lists.insert(lists.len().min(1 + start), Value::List(slice));
    }
    if let Some(first) = items.first() {
        lists.push(Value::List(vec![first.clone(), first.clone()]));
    }
    lists.push(Value::List(Vec::new()));
    lists
}

/// Returns blocks with the required fields, with all fields, and with each value of each field.
fn blocks(block: &BlockKind) -> Vec<Value> {
    let pools: Vec<Pool> = block.fields.iter().map(|field| Pool::new(field, None)).collect();
    let block = |has: &dyn Fn(&Pool) -> Option<Value>| {
        Value::Map(pools.iter().filter_map(|pool| Some((pool.name.to_owned(), has(pool)?))).collect())
    };
    let first = |pool: &Pool| pool.valid.first().cloned();
    let required = |pool: &Pool| pool.required.then(|| first(pool)).flatten();
    let mut blocks = vec![block(&required), block(&first)];
    for target in &pools {
        for value in target.valid.iter().take(4).chain(target.invalid.iter().take(2)) {
            let field_value =
                |pool: &Pool| if pool.name == target.name { Some(value.clone()) } else { required(pool) };
            blocks.push(block(&field_value));
        }
    }
    blocks
}
