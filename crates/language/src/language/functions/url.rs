//! URLs and their parts.

use super::arguments::{Args, FunctionResult};
use super::function::Function;
use crate::language::go_format::escape::url_query;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "urlencode",
        "string",
        "The text for the query of a URL; a space becomes `+`.",
        [r#"urlencode("a b&c")"#, r#""a+b%26c""#],
    )
    .runs_deep(urlencode),
    Function::new(
        "urldecode",
        "string",
        "The text that was encoded for the query of a URL.",
        [r#"urldecode("a+b%26c")"#, r#""a b&c""#],
    )
    .runs_deep(urldecode),
    Function::new(
        "urlparse",
        "string",
        "The parts of a URL, as they are written: `scheme user password host port path query fragment`. The port is a number; what is \
         missing is null.",
        [r#"urlparse("https://web1:8443/a?b=1").host"#, r#""web1""#],
    )
    .runs_deep(urlparse),
];

fn urlencode(args: &mut Args<'_>) -> FunctionResult {
    let text = args.text(0)?;
    // A byte becomes three.
    args.budget.spend_bytes(text.len().saturating_mul(3))?;
    let mut out = String::with_capacity(text.len());
    url_query(&text, &mut out);
    Ok(out.into())
}

fn urldecode(args: &mut Args<'_>) -> FunctionResult {
    let text = args.text(0)?;
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [bytes.next(), bytes.next()].map(|digit| char::from(digit?).to_digit(16));
                match digits {
                    [Some(high), Some(low)] => u8::try_from(high * 16 + low).unwrap_or_default(),
                    _ => return Err(args.refuse_at(0, "a `%` must be followed by two hexadecimal digits")),
                }
            }
            byte => byte,
        });
    }
    String::from_utf8(out)
        .map(Value::from)
        .map_err(|_| args.refuse_at(0, "this is the code of something that is not text"))
}

fn urlparse(args: &mut Args<'_>) -> FunctionResult {
    let text = args.text(0)?;
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(args.refuse_at(0, "a URL has no white space in it; `urlencode` replaces it"));
    }
    let (rest, fragment) = split_at_mark(&text, '#');
    let (rest, query) = split_at_mark(rest, '?');
    let scheme = rest.split_once(':').filter(|(scheme, _)| is_scheme(scheme));
    let Some((scheme, rest)) = scheme else {
        return Err(args.refuse_at(0, "a URL begins with its scheme, as in `https://`"));
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        None => (None, rest),
    };
    let (userinfo, place) = match authority.and_then(|authority| authority.rsplit_once('@')) {
        Some((who, place)) => (Some(who), Some(place)),
        None => (None, authority),
    };
    let (user, password) = userinfo.map_or((None, None), |userinfo| match userinfo.split_once(':') {
        Some((user, password)) => (Some(user), Some(password)),
        None => (Some(userinfo), None),
    });
    let (host, port) = place.map_or((None, None), |place| match place.rsplit_once(':') {
        // The colons of an IPv6 address are in brackets, and do not begin a port.
        Some((host, port)) if !port.contains(']') => (Some(host), Some(port).filter(|port| !port.is_empty())),
        _ => (Some(place), None),
    });
    let digits = |port: &str| port.parse::<u16>().ok().filter(|_| !port.starts_with('+'));
    let port = match port.map(digits) {
        None => Value::Null,
        Some(Some(port)) => Value::Int(port.into()),
        Some(None) => return Err(args.refuse_at(0, "the port must be a number up to 65535")),
    };
    let text_of = |part: Option<&str>| part.map_or(Value::Null, Value::string);
    let host =
        host.map(|host| host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host));
    Ok([
        ("scheme", Value::from(scheme.to_ascii_lowercase())),
        ("user", text_of(user)),
        ("password", text_of(password)),
        ("host", text_of(host)),
        ("port", port),
        ("path", text_of(Some(path))),
        ("query", text_of(query)),
        ("fragment", text_of(fragment)),
    ]
    .into())
}

/// Splits a text at the mark, if it contains one.
fn split_at_mark(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}
