//! Tests of levels, changes, errors and differences, for every level.

use super::*;
use StatusLevel::{CantChange, Fatal, MayChange, NoChange, WillChange, WontChange};

fn at(level: StatusLevel) -> Status {
    let mut status = Status::new();
    status.raise_level(level);
    status
}

/// Returns a status with one difference, which changes or does not.
fn with_diff(level: StatusLevel, changes: bool) -> Status {
    let mut status = at(level);
    status.add_difference("a", "old", if changes { "new" } else { "old" });
    status
}

#[derive(Debug)]
struct Custom {
    level: StatusLevel,
    diff: ValueDiff,
    error: Option<Error>,
    has_changes: Option<bool>,
}

impl Custom {
    fn new(level: StatusLevel) -> Self {
        let diff = ValueDiff { before: "old".into(), after: "old".into() };
        Self { level, diff, error: None, has_changes: None }
    }
}

impl TaskStatus for Custom {
    fn level(&self) -> StatusLevel {
        self.level
    }

    fn diffs(&self) -> Vec<(&str, &dyn Diff)> {
        vec![("theirs", &self.diff)]
    }

    fn messages(&self) -> Vec<&str> {
        vec!["their message"]
    }

    fn warnings(&self) -> Vec<&str> {
        vec!["their warning"]
    }

    fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    fn has_changes(&self) -> bool {
        self.has_changes.unwrap_or(self.level == WillChange)
    }
}

#[test]
fn levels_are_ordered_and_join_as_a_lattice() {
    let ordered = [NoChange, WontChange, WillChange, MayChange, CantChange, Fatal];
    assert_eq!(StatusLevel::ALL, ordered);
    assert_eq!(StatusLevel::default(), NoChange);
    for (rank_a, a) in ordered.into_iter().enumerate() {
        assert_eq!(a.join(a), a, "idempotent");
        assert_eq!(NoChange.join(a), a, "{NoChange} changes nothing");
        assert_eq!(Fatal.join(a), Fatal, "{Fatal} takes all");
        for (rank_b, b) in ordered.into_iter().enumerate() {
            assert_eq!(a.join(b), ordered[rank_a.max(rank_b)], "{a} with {b}");
            assert_eq!(a.join(b), b.join(a), "{a} with {b} either way");
            for c in ordered {
                assert_eq!(a.join(b).join(c), a.join(b.join(c)), "{a}, {b}, {c}");
            }
        }
    }
}

#[test]
fn a_level_is_raised_and_never_lowered() {
    for first in StatusLevel::ALL {
        for second in StatusLevel::ALL {
            let mut status = at(first);
            status.raise_level(second);
            assert_eq!(status.level(), first.max(second), "{first}, then {second}");
        }
    }
}

#[test]
fn what_each_level_means() {
    let check = |level: StatusLevel, text: &str, halts: bool, same: bool, differs: bool, after_error| {
        assert_eq!(level.to_string(), text);
        assert_eq!(level.halts(), halts, "{level} halts");
        assert_eq!(at(level).has_changes(), same, "{level} has changes with no difference");
        assert_eq!(with_diff(level, false).has_changes(), same, "{level} has changes with one that is none");
        assert_eq!(with_diff(level, true).has_changes(), differs, "{level} has changes with a difference");
        let mut status = at(level);
        status.set_error("broken");
        assert_eq!(status.level(), after_error, "{level} after an error");
        assert_eq!(TaskStatus::error(&status).map(ToString::to_string).as_deref(), Some("broken"));
        let mut custom = Status::custom(Custom::new(level));
        custom.set_error("broken");
        assert_eq!(custom.level(), after_error.join(level), "a custom {level} after an error");
    };
    check(NoChange, "no change", false, false, true, Fatal);
    check(WontChange, "won't change", false, false, false, Fatal);
    check(WillChange, "will change", false, true, true, CantChange);
    check(MayChange, "may change", false, true, true, Fatal);
    check(CantChange, "can't change", true, true, true, CantChange);
    check(Fatal, "fatal", true, false, false, Fatal);
}

#[test]
fn differences_raise_the_level_to_will_change_at_least() {
    for level in StatusLevel::ALL {
        for changes in [false, true] {
            let mut status = with_diff(level, changes);
            status.raise_level_for_diffs();
            let expect = if changes { level.max(WillChange) } else { level };
            assert_eq!(status.level(), expect, "{level} with a difference that changes: {changes}");
        }
    }
}

#[test]
fn differences_keep_their_order_and_names_are_unique() {
    let mut status = Status::new();
    for name in ["z", "a", "m", "b"] {
        status.add_difference(name, "old", "old");
    }
    // A later difference replaces one of the same name.
    status.add_difference("a", "old", "new");
    status.add_diff("m", SecretDiff { changes: true });
    let differences: Vec<_> =
        status.diffs().iter().map(|(name, diff)| (*name, diff.after(), diff.changes())).collect();
    assert_eq!(
        differences,
        [
            ("z", "old".into(), false),
            ("a", "new".into(), true),
            ("m", DiffValue::Secret, true),
            ("b", "old".into(), false),
        ]
    );
}

#[test]
fn texts_compare_as_they_are_and_show_a_default_for_the_empty_one() {
    let check = |before: &str, after: &str, default: &str, shown: (&str, &str), changes: bool| {
        let mut status = Status::new();
        status.add_difference_with_default("x", before, after, default);
        let diffs = status.diffs();
        let diff = diffs[0].1;
        assert_eq!((diff.before().to_string().as_str(), diff.after().to_string().as_str()), shown);
        assert_eq!(diff.changes(), changes, "{before:?} to {after:?} with {default:?}");
    };
    check("a", "b", "", ("a", "b"), true);
    check("a", "a", "none", ("a", "a"), false);
    check("", "b", "none", ("none", "b"), true);
    check("a", "", "none", ("a", "none"), true);
    check("", "", "none", ("none", "none"), false);
    // The two are shown alike but differ.
    check("none", "", "none", ("none", "none"), true);
}

#[test]
fn a_value_is_shown_by_what_it_is() {
    let check = |value: DiffValue, shown: &str| {
        assert_eq!(value.to_string(), shown);
        assert_eq!(serde_json::to_value(&value).unwrap(), shown);
        // An ordinary value with the same text is different.
        let diff = DiffValue::from(shown);
        let is_known = matches!(value, DiffValue::Known(_));
        let mut status = Status::new();
        status.add_difference("x", value, diff);
        assert_eq!(status.diffs()[0].1.changes(), !is_known, "{shown}");
    };
    check("a".into(), "a");
    check(DiffValue::Placeholder("(none)".to_owned()), "(none)");
    check(DiffValue::Unknown, "(known after apply)");
    check(DiffValue::Secret, "(sensitive)");
}

#[test]
fn a_difference_of_a_secret_shows_neither_side() {
    for changes in [false, true] {
        let diff = SecretDiff { changes };
        assert_eq!((diff.before(), diff.after()), (DiffValue::Secret, DiffValue::Secret));
        assert_eq!(diff.changes(), changes);
    }
}

#[test]
fn a_diff_of_an_authors_own_changes_when_its_sides_differ() {
    #[derive(Debug)]
    struct Numbers(u8, u8);
    impl Diff for Numbers {
        fn before(&self) -> DiffValue {
            self.0.to_string().into()
        }
        fn after(&self) -> DiffValue {
            self.1.to_string().into()
        }
    }
    assert!(Numbers(1, 2).changes());
    assert!(!Numbers(1, 1).changes());
}

#[test]
fn a_custom_status_comes_first_and_can_only_be_raised() {
    let mut status = Status::custom(Custom::new(MayChange));
    status.add_message("mine");
    status.add_warning("my warning");
    status.add_difference("mine", "a", "b");
    status.raise_level_for_diffs();
    assert_eq!(status.level(), MayChange);
    assert_eq!(status.messages(), ["their message", "mine"]);
    assert_eq!(status.warnings(), ["their warning", "my warning"]);
    assert_eq!(status.diffs().iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["theirs", "mine"]);
    for level in StatusLevel::ALL {
        for raised in StatusLevel::ALL {
            let mut status = Status::custom(Custom::new(level));
            status.raise_level(raised);
            assert_eq!(status.level(), level.max(raised), "a custom {level}, raised to {raised}");
        }
        // The custom answer counts, except that an accepted and a fatal status never have changes.
        let custom = Custom { has_changes: Some(true), ..Custom::new(level) };
        assert_eq!(
            Status::custom(custom).has_changes(),
            !matches!(level, WontChange | Fatal),
            "a custom {level}"
        );
    }
}

#[test]
fn an_error_is_there_when_the_level_says_so() {
    let check = |mut status: Status, expect: Option<&str>| {
        let level = status.level();
        assert_eq!(status.take_error().map(|error| error.to_string()).as_deref(), expect, "{level}");
    };
    for level in [NoChange, WontChange, WillChange, MayChange] {
        check(at(level), None);
    }
    check(at(CantChange), Some("the resource cannot be changed"));
    check(at(Fatal), Some("the resource met an error"));
    let mut status = at(WillChange);
    status.set_error("first");
    status.set_error("second");
    check(status, Some("second"));
    let custom = Custom { error: Some(Error::msg("theirs")), ..Custom::new(CantChange) };
    check(Status::custom(custom), Some("theirs"));
}

#[test]
fn a_warning_leaves_the_level() {
    for level in StatusLevel::ALL {
        let mut status = at(level);
        status.add_warning("careful");
        assert_eq!((status.level(), status.warnings()), (level, vec!["careful"]));
    }
}
