//! Hashes of texts, and ids derived from hashes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;
use super::function::Function;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "md5",
        "string",
        "The MD5 hash of the text, in hexadecimal; it protects nothing.",
        [r#"md5("hello")"#, r#""5d41402abc4b2a76b9719d911017c592""#],
    )
    .runs_deep(|args| hexadecimal::<Md5>(args)),
    Function::new(
        "sha1",
        "string",
        "The SHA-1 hash of the text, in hexadecimal; it protects nothing.",
        [r#"sha1("hello")"#, r#""aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d""#],
    )
    .runs_deep(|args| hexadecimal::<Sha1>(args)),
    Function::new(
        "sha256",
        "string",
        "The SHA-256 hash of the text, in hexadecimal.",
        [r#"substr(sha256("hello"), 0, 8)"#, r#""2cf24dba""#],
    )
    .runs_deep(|args| hexadecimal::<Sha256>(args)),
    Function::new(
        "sha512",
        "string",
        "The SHA-512 hash of the text, in hexadecimal.",
        [r#"substr(sha512("hello"), 0, 8)"#, r#""9b71d224""#],
    )
    .runs_deep(|args| hexadecimal::<Sha512>(args)),
    Function::new(
        "base64sha256",
        "string",
        "The SHA-256 hash of the text, in base64.",
        [r#"base64sha256("hello")"#, r#""LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=""#],
    )
    .runs_deep(|args| base64::<Sha256>(args)),
    Function::new(
        "base64sha512",
        "string",
        "The SHA-512 hash of the text, in base64.",
        [r#"substr(base64sha512("hello"), 0, 8)"#, r#""m3HSJL1i""#],
    )
    .runs_deep(|args| base64::<Sha512>(args)),
    Function::new(
        "uuidv5",
        "namespace, name",
        "The UUID of a name in a namespace: `dns`, `url`, `oid`, `x500`, or a UUID.",
        [r#"uuidv5("dns", "example.com")"#, r#""cfbff0d1-9375-5685-968c-48ce8b15ae17""#],
    )
    .takes(2, 2)
    .runs_deep(uuidv5),
];

fn digest<D: Digest>(args: &Args<'_>) -> Result<Vec<u8>, FunctionError> {
    Ok(D::digest(args.text(0)?.as_bytes()).to_vec())
}

fn hexadecimal<D: Digest>(args: &Args<'_>) -> FunctionResult {
    Ok(hex(&digest::<D>(args)?).into())
}

fn base64<D: Digest>(args: &Args<'_>) -> FunctionResult {
    Ok(BASE64_STANDARD.encode(digest::<D>(args)?).into())
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

/// Returns the namespaces of RFC 9562, which differ in one byte, or a given UUID.
fn namespace(name: &str) -> Option<[u8; 16]> {
    let namespace_id = |digit: u8| {
        [0x6b, 0xa7, 0xb8, digit, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8]
    };
    match name {
        "dns" => Some(namespace_id(0x10)),
        "url" => Some(namespace_id(0x11)),
        "oid" => Some(namespace_id(0x12)),
        "x500" => Some(namespace_id(0x14)),
        uuid => {
            let groups: Vec<&str> = uuid.split('-').collect();
            if groups.iter().map(|group| group.len()).ne([8, 4, 4, 4, 12]) {
                return None;
            }
            let digits: Vec<u32> = groups.concat().chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
            let bytes = digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok());
            bytes.collect::<Option<Vec<u8>>>()?.try_into().ok()
        }
    }
}

fn uuidv5(args: &mut Args<'_>) -> FunctionResult {
    let (space, name) = (args.text(0)?, args.text(1)?);
    let Some(space) = namespace(&space) else {
        return Err(args.refuse_at(0, "the namespace must be `dns`, `url`, `oid`, `x500` or a UUID"));
    };
    let hash = Sha1::new().chain_update(space).chain_update(name.as_bytes()).finalize();
    let mut bytes: Vec<u8> = hash.iter().copied().take(16).collect();
    for (index, clear, set) in [(6, 0x0f, 0x50), (8, 0x3f, 0x80)] {
        if let Some(byte) = bytes.get_mut(index) {
            *byte = *byte & clear | set;
        }
    }
    let text = hex(&bytes);
    let groups: Vec<&str> =
        [0..8, 8..12, 12..16, 16..20, 20..32].into_iter().filter_map(|range| text.get(range)).collect();
    Ok(groups.join("-").into())
}
