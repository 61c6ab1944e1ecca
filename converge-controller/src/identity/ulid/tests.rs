use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(text: &str, expect: Option<u128>) {
    let parsed = text.parse::<Uid>();
    assert_eq!(parsed.as_ref().ok().map(|uid| uid.to_bits()), expect, "{text:?}");
    if let Err(error) = parsed {
        assert_eq!((error.marking, &*error.text), (Marking::Uid, text));
    }
}

#[test]
fn texts() {
    check("00000000000000000000000000", Some(0));
    check("0000000000000000000000000Z", Some(31));
    check("00000000000000000000000010", Some(32));
    check("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", Some(u128::MAX));
    check("01ARZ3NDEKTSV4RRFFQ69G5FAV", Some(0x0156_3e3a_b5d3_d676_4c61_efb9_9302_bd5b));
    check("01arz3ndektsv4rrffq69g5fav", Some(0x0156_3e3a_b5d3_d676_4c61_efb9_9302_bd5b));

    check("", None);
    check("0000000000000000000000000", None);
    check("000000000000000000000000000", None);
    check("8ZZZZZZZZZZZZZZZZZZZZZZZZZ", None);
    for letter in ['I', 'L', 'O', 'U', 'i', '-', ' ', '\n', '@'] {
        check(&format!("0000000000000000000000000{letter}"), None);
    }
    // 26 bytes, but not 26 characters.
    check("000000000000000000000000é", None);
    check("é000000000000000000000000", None);
}

#[test]
fn message() {
    assert_eq!(
        "x".parse::<Uid>().unwrap_err().to_string(),
        "\"x\" is not a uid: it is a ULID, 26 characters of 0-9 and A-Z without I, L, O and U, the first one at most 7"
    );
}

#[test]
fn the_latest_time_can_be_shown() {
    let latest = Uid::from_bits(u128::MAX).created();
    assert_eq!(latest, UNIX_EPOCH + Duration::from_millis((1 << 48) - 1));
}

proptest! {
    #[test]
    fn text_and_back(bits: u128) {
        let uid = Uid::from_bits(bits);
        prop_assert_eq!(uid.to_string().parse::<Uid>(), Ok(uid));
        prop_assert_eq!(uid.to_string().to_lowercase().parse::<Uid>(), Ok(uid));
    }

    #[test]
    fn the_order_of_texts_is_that_of_the_bits(a: u128, b: u128) {
        let texts = (Uid::from_bits(a).to_string(), Uid::from_bits(b).to_string());
        prop_assert_eq!(texts.0.cmp(&texts.1), a.cmp(&b));
    }

    #[test]
    fn any_text_is_taken_or_refused(text in "\\PC{0,30}") {
        if let Ok(uid) = text.parse::<Uid>() {
            prop_assert_eq!(uid.to_string(), text.to_uppercase());
        }
    }
}
