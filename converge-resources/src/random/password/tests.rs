use std::collections::BTreeMap;
use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::PasswordPreparer;
use crate::random::drawn_value::DrawnResource as _;
use crate::testing::{Written, apply, context, plan, prepare};

/// Returns passwords of a host with a fixed random source.
async fn passwords(fields: Written<'_>, count: usize) -> Vec<String> {
    let cx = context(Arc::new(ModelSystem::new()), RunMode::Apply);
    let task = prepare::<PasswordPreparer>(&cx, fields).await.unwrap();
    let mut passwords_drawn = Vec::new();
    for _ in 0..count {
        let password = task.draw(&cx).await.unwrap();
        assert_eq!(task.misfit(&password), None, "{password}");
        passwords_drawn.push(password);
    }
    passwords_drawn
}

#[tokio::test]
async fn what_they_are_made_of() {
    let kinds = |password: &str| {
        let count = |is: fn(&char) -> bool| password.chars().filter(is).count();
        [
            count(char::is_ascii_lowercase),
            count(char::is_ascii_uppercase),
            count(char::is_ascii_digit),
            count(char::is_ascii_punctuation),
        ]
    };
    let check = async |fields: Written<'_>, is_right: fn([usize; 4]) -> bool| {
        for password in passwords(fields, 100).await {
            assert!(is_right(kinds(&password)), "{password}");
        }
    };
    check(&[("length", 8.into())], |kinds| kinds.iter().sum::<usize>() == 8 && !kinds.contains(&0)).await;
    check(&[("length", 20.into()), ("special", false.into())], |[.., special]| special == 0).await;
    let only_digits: Vec<(&'static str, Value)> = ["lower", "upper", "special"]
        .into_iter()
        .map(|name| (name, Value::from(false)))
        .chain([("length", 8.into())])
        .collect();
    check(&only_digits, |kinds| kinds == [0, 0, 8, 0]).await;
    check(&[("length", 9.into()), ("min_digits", 6.into())], |[.., digits, _]| digits == 6).await;
    check(
        &[("length", 8.into()), ("min_special", 0.into()), ("min_digits", 0.into())],
        |[lower, upper, ..]| lower > 0 && upper > 0,
    )
    .await;
    for password in passwords(&[("length", 30.into()), ("special_characters", "__~".into())], 50).await {
        assert!(
            password.chars().all(|char| char.is_ascii_alphanumeric() || "_~".contains(char)),
            "{password}"
        );
    }
}

/// Required characters occur at every position.
#[tokio::test]
async fn every_kind_is_everywhere() {
    let mut counts: BTreeMap<(usize, bool), usize> = BTreeMap::new();
    let fields = [
        ("length", 8.into()),
        ("min_digits", 4.into()),
        ("upper", false.into()),
        ("special", false.into()),
        ("min_lower", 4.into()),
    ];
    let samples = passwords(&fields, 2000).await;
    for password in &samples {
        for (position, char) in password.chars().enumerate() {
            *counts.entry((position, char.is_ascii_digit())).or_default() += 1;
        }
    }
    // The expected count is half of all, and the limit is four standard deviations of 22 each.
    for ((at, _), count) in &counts {
        assert!(count.abs_diff(1000) < 90, "{at}: {counts:?}");
    }
    assert_eq!(counts.len(), 16);
    let distinct: std::collections::BTreeSet<&String> = samples.iter().collect();
    assert_eq!(distinct.len(), samples.len());
}

#[tokio::test]
async fn what_fits_stays() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let fields_with = |more: &[(&'static str, Value)]| -> Vec<(&'static str, Value)> {
        let length = more.iter().all(|(name, _)| *name != "length");
        more.iter().cloned().chain(length.then(|| ("length", Value::from(16)))).collect()
    };
    apply::<PasswordPreparer>(&system, &fields_with(&[("special", false.into())])).await;
    let check = async |more: &[(&'static str, Value)], expect: &str| {
        assert_eq!(plan::<PasswordPreparer>(&system, &fields_with(more)).await, expect, "{more:?}");
    };
    check(&[("special", false.into())], "no change").await;
    check(&[("min_special", 0.into())], "no change").await;
    let redraw = "will change\nvalue: \"(sensitive)\" => \"(known after apply)\"\n# another value is drawn: ";
    check(&[], &format!("{redraw}it has too few characters of one kind")).await;
    check(&[("length", 17.into())], &format!("{redraw}it has 16 characters, and not 17")).await;
    check(&[("lower", false.into())], &format!("{redraw}it has a character that is no longer allowed")).await;
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<PasswordPreparer>(&system, written).await;
        assert_eq!(output, format!("error: {expect}"), "{written:?}");
    };
    check(&[], "length: `length` is required").await;
    check(&[("length", 7.into())], "length: 7 is out of range: at least 8 and at most 1024").await;
    check(
        &[("length", 8.into()), ("min_digits", 6.into())],
        "length: 8 characters are fewer than the 9 that are asked for at least",
    )
    .await;
    check(
        &[("length", 8.into()), ("digits", false.into()), ("min_digits", 2.into())],
        "min_digits: `digits = false` allows none, and these are 2",
    )
    .await;
    check(
        &[("length", 8.into()), ("special_characters", "!ü".into())],
        "special_characters: 'ü' is not a special character of ASCII, such as `!` or `#`",
    )
    .await;
    let no_characters: Vec<(&'static str, Value)> = ["lower", "upper", "digits", "special"]
        .into_iter()
        .map(|name| (name, Value::from(false)))
        .chain([("length", 8.into())])
        .collect();
    check(
        &no_characters,
        "special: no characters are left: set one of `lower`, `upper`, `digits` and `special` to true",
    )
    .await;
}

laws!(PasswordPreparer, values = ("length", [8, 16]), values = ("special_characters", ["!", "#%"]));
