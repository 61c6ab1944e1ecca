//! Permissions in modules: octal, or symbolic as for `chmod`.

use std::fmt;

use converge_sdk::prelude::*;
use converge_sdk::schema::{Kind, Shape};
use converge_sdk::value::{Conversion, FieldError, FieldErrorKind, REDACTED, ValuePath};

const ALL: u32 = 0o7777;
const SET_ID: u32 = 0o6000;
const STICKY: u32 = 0o1000;
const READ: u32 = 0o444;
const WRITE: u32 = 0o222;
const EXECUTE: u32 = 0o111;

/// Permission bits, at most `0o7777`, displayed as four octal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode(u32);

impl Mode {
    /// Creates a mode. Bits beyond the permissions are dropped.
    pub(crate) const fn new(bits: u32) -> Self {
        Self(bits & ALL)
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04o}", self.0)
    }
}

impl ToValue for Mode {
    fn shape() -> Shape {
        Shape::Plain
    }

    fn to_value(&self) -> Value {
        Value::from(self.to_string())
    }
}

/// The declared permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModeSpec {
    Exact(Mode),
    /// Changes to the present permissions.
    Symbolic {
        text: String,
        /// The changes, in the order in which they are made.
        changes: Vec<ModeChange>,
    },
}

/// One change of a symbolic mode: an operator and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModeChange {
    /// The bits that the change may touch.
    affected: u32,
    operator: Operator,
    bits: u32,
    /// `X`: execute for directories, and for files that somebody may execute.
    execute_if_any: bool,
    /// `u`, `g` or `o`: the shift of the three bits to copy.
    copy: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Remove,
    Set,
}

const NEITHER: &str = "a mode is octal digits like \"0644\", or changes like \"u=rwx,go=rx\"";

impl fmt::Display for ModeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(mode) => fmt::Display::fmt(mode, f),
            Self::Symbolic { text, .. } => f.write_str(text),
        }
    }
}

impl ModeSpec {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let trimmed = text.trim();
        if trimmed.starts_with(|first: char| first.is_ascii_digit()) {
            return octal(trimmed).map(Self::Exact);
        }
        let mut changes = Vec::new();
        for clause in trimmed.split(',') {
            parse_clause(clause, &mut changes)?;
        }
        Ok(Self::Symbolic { text: trimmed.to_owned(), changes })
    }

    /// Returns the permissions, if they do not depend on the present ones.
    pub(crate) fn exact(&self) -> Option<Mode> {
        match self {
            Self::Exact(mode) => Some(*mode),
            Self::Symbolic { .. } => None,
        }
    }

    /// Returns an error if the mode would lock the owner out of directories.
    pub(crate) fn fits_trees(&self) -> Result<(), String> {
        let ordinary = Mode(0o755);
        if self.apply_to(ordinary, true).0 & 0o100 != 0 {
            return Ok(());
        }
        Err("their owner could not enter the directories in the tree: write `X` for them, as in \"u=rwX,go=rX\"".to_owned())
    }

    /// Applies the change to the permissions `mode` of a directory or of another file.
    pub(crate) fn apply_to(&self, mode: Mode, directory: bool) -> Mode {
        match self {
            Self::Exact(exact) => *exact,
            Self::Symbolic { changes, .. } => {
                Mode(changes.iter().fold(mode.0, |bits, change| change.on(bits, directory)))
            }
        }
    }

    /// Like `on`, but fails for a mode like `u=g,g=o`, which gives another result each time.
    ///
    /// Such a mode does not declare a state.
    pub(crate) fn apply_settled(&self, mode: Mode, directory: bool) -> Result<Mode> {
        let first = self.apply_to(mode, directory);
        let twice = self.apply_to(first, directory);
        match self {
            Self::Symbolic { text, .. } if first != twice => Err(Error::msg(format!(
                "the mode {text:?} never settles: it makes {first} of {mode}, and then {twice} of that"
            ))),
            _ => Ok(first),
        }
    }
}

fn octal(text: &str) -> Result<Mode, String> {
    let digits = text.strip_prefix("0o").unwrap_or(text);
    if let Some(bad) = digits.chars().find(|digit| !digit.is_digit(8)) {
        return Err(format!("`{bad}` is not an octal digit"));
    }
    match u32::from_str_radix(digits, 8) {
        Ok(bits) if bits <= ALL => Ok(Mode(bits)),
        // The text has no digits only if it is `0o`; in all other cases there are too many digits.
        _ if digits.is_empty() => Err(NEITHER.to_owned()),
        _ => Err("it has bits beyond 7777".to_owned()),
    }
}

/// Parses `[ugoa]*([-+=]([rwxXst]*|[ugo]))+`.
fn parse_clause(clause: &str, changes: &mut Vec<ModeChange>) -> Result<(), String> {
    let mut rest = clause.chars().peekable();
    let mut affected = 0;
    while let Some(bits) = rest.peek().copied().and_then(affected_by) {
        affected |= bits;
        rest.next();
    }
    if affected == 0 {
        affected = ALL;
    }
    let before = changes.len();
    while let Some(next) = rest.next() {
        let operator = match next {
            '+' => Operator::Add,
            '-' => Operator::Remove,
            '=' => Operator::Set,
            _ if changes.len() == before => return Err(NEITHER.to_owned()),
            bad => return Err(not_permission(bad)),
        };
        let mut change = ModeChange { affected, operator, bits: 0, execute_if_any: false, copy: None };
        if let Some(shift) = rest.peek().copied().and_then(copied_from) {
            change.copy = Some(shift);
            rest.next();
        } else {
            while let Some(permission) = rest.next_if(|next| !matches!(next, '+' | '-' | '=')) {
                match permission {
                    'r' => change.bits |= READ,
                    'w' => change.bits |= WRITE,
                    'x' => change.bits |= EXECUTE,
                    'X' => change.execute_if_any = true,
                    's' => change.bits |= SET_ID,
                    't' => change.bits |= STICKY,
                    bad => return Err(not_permission(bad)),
                }
            }
        }
        changes.push(change);
    }
    if changes.len() == before { Err(NEITHER.to_owned()) } else { Ok(()) }
}

fn not_permission(bad: char) -> String {
    format!("`{bad}` is neither made of r w x X s t, nor one of u g o alone")
}

fn affected_by(class: char) -> Option<u32> {
    Some(match class {
        'u' => 0o4700,
        'g' => 0o2070,
        'o' => 0o1007,
        'a' => ALL,
        _ => return None,
    })
}

fn copied_from(class: char) -> Option<u32> {
    Some(match class {
        'u' => 6,
        'g' => 3,
        'o' => 0,
        _ => return None,
    })
}

impl ModeChange {
    fn on(self, mode: u32, directory: bool) -> u32 {
        let mut bits = self.bits;
        if let Some(shift) = self.copy {
            bits |= ((mode >> shift) & 0o7) * 0o111;
        }
        if self.execute_if_any && (directory || mode & EXECUTE != 0) {
            bits |= EXECUTE;
        }
        let bits = bits & self.affected;
        // As in chmod, a directory keeps its set-id bits unless they are named.
        let base = if directory { SET_ID & !bits } else { 0 };
        match self.operator {
            Operator::Add => mode | bits,
            Operator::Remove => mode & !bits,
            Operator::Set => mode & (!self.affected | base) | bits,
        }
    }
}

impl FromValue for ModeSpec {
    fn kind() -> Kind {
        Kind::String
    }

    fn from_value(value: Value, _: &Conversion) -> Result<Self, Vec<FieldError>> {
        let error = |kind| vec![FieldError { path: ValuePath::default(), kind }];
        let (value, secret) = match value {
            Value::Secret(value) => (*value.into_exposed(), true),
            value => (value, false),
        };
        match value {
            Value::String(text) => Self::parse(&text).map_err(|reason| {
                let display = if secret { REDACTED.to_owned() } else { format!("{text:?}") };
                error(FieldErrorKind::Invalid { message: format!("{display} is not a mode: {reason}") })
            }),
            // The language reads 0644 as an octal number.
            Value::Int(number) => match u32::try_from(number) {
                Ok(bits) if bits <= ALL => Ok(Self::Exact(Mode(bits))),
                _ => {
                    let display = match number {
                        _ if secret => REDACTED.to_owned(),
                        0.. => format!("0{number:o}"),
                        _ => number.to_string(),
                    };
                    let range = "at least 0 and at most 07777".to_owned();
                    Err(error(FieldErrorKind::OutOfRange { shown: display, range }))
                }
            },
            value => Err(error(FieldErrorKind::WrongKind {
                expected: Self::kind().to_string(),
                found: value.kind(),
            })),
        }
    }
}
