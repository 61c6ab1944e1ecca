//! Tests of the meaning of single encodings.

use prost::Message;

use super::*;

/// Decodes hexadecimal digits, and compares the fields that differ from an empty album, or the error.
#[track_caller]
fn check(hex: &str, expect: &str) {
    let actual = match Album::decode(bytes(hex).as_slice()) {
        Ok(album) => {
            let fields = fields(&album).into_iter().zip(fields(&Album::default()));
            fields
                .filter(|(field, empty)| field != empty)
                .map(|(field, _)| field)
                .collect::<Vec<_>>()
                .join(" ")
        }
        Err(error) => error.to_string().replace("failed to decode Protobuf message: ", "error: "),
    };
    assert_eq!(actual, expect, "for {hex}");
}

/// Returns the `Debug` form of each field on one line.
fn fields(album: &Album) -> Vec<String> {
    let text = format!("{album:#?}");
    let mut fields: Vec<String> = Vec::new();
    for line in text.lines().skip(1).filter(|line| *line != "}") {
        match fields.last_mut() {
            Some(field) if line.starts_with("     ") || line.trim_start().starts_with(['}', ']', ')']) => {
                field.push(' ');
                field.push_str(line.trim());
            }
            _ => fields.push(line.trim().to_owned()),
        }
    }
    fields
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

#[test]
fn the_last_value_wins_and_lists_grow() {
    check("", "");
    check("18 01 18 02", "int32: 2,");
    check("4a 01 61 4a 01 62", "text: \"b\",");
    // The values are packed, single, and both.
    check("d2 01 02 01 02", "numbers: [ 1, 2, ],");
    check("d0 01 01 d0 01 02", "numbers: [ 1, 2, ],");
    check("d2 01 01 01 d0 01 02", "numbers: [ 1, 2, ],");
    check("f2 01 02 05 00 f0 01 05", "genres: [ JazzRock, Unspecified, JazzRock, ],");
}

#[test]
fn numbers_may_have_bytes_of_their_own() {
    check("b8 02 03", "sint32: Sint( -2, ),");
    check("c0 02 00", "sint64: Some( Sint( 0, ), ),");
    check("cd 02 01 00 00 00", "fixed32: Fixed( 1, ),");
    // The values are packed, and single.
    check("da 02 04 ff ff ff ff dd 02 01 00 00 00", "sfixed32: [ Fixed( -1, ), Fixed( 1, ), ],");
    check("e1 02 ff ff ff ff ff ff ff ff", "sfixed64: Fixed( -1, ),");
    check("ea 02 04 08 01 10 01", "by_sint: { Sint( -1, ): Sint( -1, ), },");
    check("cd 02 01 00", "error: `fixed32`: buffer underflow");
    check("c8 02 01", "error: `fixed32`: invalid wire type: Varint (expected ThirtyTwoBit)");
}

#[test]
fn messages_are_merged() {
    // A track with a name is followed by one with a part.
    let merged = "track: Track { name: \"a\", parts: [ Track { name: \"b\", parts: [], refrain: None, }, ], refrain: None, },";
    check("6a 03 0a 01 61 6a 05 12 03 0a 01 62", merged);
}

#[test]
fn what_is_not_known_is_skipped() {
    // The number 2 has the wire types varint, bytes, and group.
    check("10 01 18 01", "int32: 1,");
    check("12 02 ff ff 18 01", "int32: 1,");
    check("13 08 01 14 18 01", "int32: 1,");
}

#[test]
fn the_last_of_a_oneof_is_there() {
    // The field with the number 101 is written even if its value is 0.
    check("a8 06 00", "source: Some( Seconds( 0, ), ),");
    check("fa 02 01 61 a8 06 05", "source: Some( Seconds( 5, ), ),");
    check("a8 06 05 fa 02 01 61", "source: Some( Raw( [ 97, ], ), ),");
    // A message is merged with an earlier value of the same field, but not with a replaced one.
    let text = |name: &str, part: &str| {
        let parts = match part {
            "" => "[]".to_owned(),
            part => format!("[ Track {{ name: \"{part}\", parts: [], refrain: None, }}, ]"),
        };
        format!("source: Some( Whole( Track {{ name: \"{name}\", parts: {parts}, refrain: None, }}, ), ),")
    };
    check("82 03 03 0a 01 61 82 03 05 12 03 0a 01 62", &text("a", "b"));
    check("82 03 03 0a 01 61 a8 06 05 82 03 05 12 03 0a 01 62", &text("", "b"));
    check("82 03 03 0a 05 61", "error: `whole.name`: buffer underflow");
    check(
        "a2 06 00",
        "error: `in_store.type.group`: \"\" is not a group: it is written in snake_case, 2 characters or more: a-z, 0-9 and _, a letter first",
    );
    assert_eq!(
        Album { source: Some(Source::Seconds(0)), ..Album::default() }.encode_to_vec(),
        bytes("a8 06 00")
    );
}

#[test]
fn fields_are_written_in_the_order_of_their_numbers() {
    let numbers = |source: Source| {
        let album = Album { sold: true, source: Some(source), after: Some(0), ..Album::default() };
        album.encode_to_vec()
    };
    // The numbers are in the order 1, 47, 49, and 1, 49, 101.
    assert_eq!(numbers(Source::Raw(Vec::new())), bytes("08 01 fa 02 00 88 03 00"));
    assert_eq!(numbers(Source::Seconds(7)), bytes("08 01 88 03 00 a8 06 07"));
}

#[test]
fn entries_of_maps_may_lack_parts() {
    check("92 02 00", "track_lengths: { \"\": 0, },");
    check("92 02 05 0a 01 61 10 05", "track_lengths: { \"a\": 5, },");
    // The last entry with a key wins.
    check("92 02 05 0a 01 61 10 05 92 02 03 0a 01 61", "track_lengths: { \"a\": 0, },");
    check(
        "aa 02 00",
        "error: `ids[0].type.group`: \"\" is not a group: it is written in snake_case, 2 characters or more: a-z, 0-9 and _, a letter first",
    );
}

#[test]
fn wrong_bytes_are_told_with_their_field() {
    check("08", "error: `sold`: invalid varint");
    check("0a 01 61", "error: `sold`: invalid wire type: LengthDelimited (expected Varint)");
    check("4a 05 61", "error: `text`: buffer underflow");
    check("4a 01 ff", "error: `text`: invalid string value: data is not UTF-8 encoded");
    check("4a ff ff ff ff ff ff ff ff ff 01", "error: `text`: buffer underflow");
    check("d2 01 ff ff ff ff 0f", "error: `numbers`: buffer underflow");
    check("6a 04 12 02 0a 05", "error: `track.parts[0].name`: buffer underflow");
    let values = "-1 GENRE_METAL, 0 GENRE_UNSPECIFIED, 5 GENRE_JAZZ_ROCK";
    check("60 06", &format!("error: `genre`: 6 is not a value of converge.demo.v2.Genre: {values}"));
    check(
        "f2 01 02 05 06",
        &format!("error: `genres[1]`: 6 is not a value of converge.demo.v2.Genre: {values}"),
    );
    check("60 ff ff ff ff ff ff ff ff ff 01", "genre: Metal,");
    check("00 01", "error: invalid tag value: 0");
    check("0c", "error: `sold`: invalid wire type: EndGroup (expected Varint)");
    check("14", "error: unexpected end group tag");
}

#[test]
fn times_and_durations_have_bounds() {
    // The values are 1 second, -1 second and 10^9 nanoseconds.
    check("72 02 08 01", "length: 1s,");
    let rule = "are no duration: it is not negative, with fewer than 1000000000 nanoseconds";
    check(
        "72 0b 08 ff ff ff ff ff ff ff ff ff 01",
        &format!("error: `length`: -1 seconds and 0 nanoseconds {rule}"),
    );
    check(
        "72 06 10 80 94 eb dc 03",
        &format!("error: `length`: 0 seconds and 1000000000 nanoseconds {rule}"),
    );
    check("7a 0b 08 ff ff ff ff ff ff ff ff ff 01", "released: 1969-12-31T23:59:59Z,");
    let rule = "are no time: it is between the years -9999 and 9999, with 0 to 999999999 nanoseconds";
    check(
        "7a 0b 10 ff ff ff ff ff ff ff ff ff 01",
        &format!("error: `released`: 0 seconds and -1 nanoseconds {rule}"),
    );
    check(
        "7a 0a 08 ff ff ff ff ff ff ff ff 7f",
        &format!("error: `released`: 9223372036854775807 seconds and 0 nanoseconds {rule}"),
    );
}

#[test]
fn identities_are_checked() {
    let id = |name: &str| {
        let tenancy = Tenancy::from_units("eu", "web").unwrap();
        Id::new("demo.v2.Artist".parse().unwrap(), tenancy, name.parse().unwrap())
    };
    let album = Album { qux: Some(id("korn")), ..Album::default() };
    assert_eq!(Album::decode(album.encode_to_vec().as_slice()).unwrap(), album);
    let mut bytes = album.encode_to_vec();
    let offset = bytes.windows(4).position(|window| window == b"korn").unwrap();
    bytes[offset] = b'K';
    let error = Album::decode(bytes.as_slice()).unwrap_err().to_string();
    assert!(error.ends_with("`qux.name`: \"Korn\" is not a name: it is a lower-case DNS label, 1 to 63 characters: a-z, 0-9 and -, a letter or a digit at both ends"), "{error}");

    // The reference is to a type other than that of the field.
    let invalid = Album { reference: Some(id("korn").into()), ..Album::default() };
    let mut bytes = invalid.encode_to_vec();
    // The key of field 23 is replaced by that of 21.
    assert_eq!(bytes[..2], [0xba, 0x01]);
    bytes[0] = 0xaa;
    let error = Album::decode(bytes.as_slice()).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "`label`: expected a reference to demo.v2.RecordLabel, got one to demo.v2.Artist/eu/web/korn"
        ),
        "{error}"
    );
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| {
        (0..depth).fold(Track::default(), |inner, _| Track { parts: vec![inner], ..Track::default() })
    };
    let read = |track: Track| Track::decode(track.encode_to_vec().as_slice());
    assert_eq!(read(nested(50)), Ok(nested(50)));
    let error = read(nested(200)).unwrap_err().to_string();
    assert!(
        error.ends_with("`: recursion limit reached") && error.contains("`parts[0].parts[0]."),
        "{error}"
    );
}

#[test]
fn defaults_take_no_bytes() {
    assert_eq!(Album::default().encode_to_vec(), Vec::<u8>::new());
    // These values equal the default but differ in their bits, or are explicitly present.
    let zero = Album {
        double: -0.0,
        maybe_number: Some(0),
        maybe_track: Some(Track::default()),
        source: Some(Source::Seconds(0)),
        ..Album::default()
    };
    let read = Album::decode(zero.encode_to_vec().as_slice()).unwrap();
    assert!(read.double.is_sign_negative());
    assert_eq!(read, zero);
    let mut album = Album { text: "a".to_owned(), numbers: vec![1], label: None, ..zero };
    album.clear();
    assert_eq!(album, Album::default());
}
