//! Tests of network and URL functions.

use super::check;

#[test]
fn networks() {
    check(&[
        (r#"cidrhost("10.0.0.0/8", 0)"#, r#""10.0.0.0""#),
        (r#"cidrhost("10.1.2.3/24", 5)"#, r#""10.1.2.5""#),
        (r#"cidrhost("10.0.0.0/24", -1)"#, r#""10.0.0.255""#),
        (
            r#"cidrhost("10.0.0.0/24", 256)"#,
            "error at 256: cidrhost: 10.0.0.0/24 has no address with this number",
        ),
        (
            r#"cidrhost("10.0.0.0/24", -257)"#,
            "error at -257: cidrhost: 10.0.0.0/24 has no address with this number",
        ),
        (r#"cidrhost("fd00:fd12:3456:7890:00a2::/72", 34)"#, r#""fd00:fd12:3456:7890::22""#),
        (r#"cidrhost("::/0", -1)"#, r#""ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff""#),
        (r#"cidrhost("1.2.3.4/32", 0)"#, r#""1.2.3.4""#),
        (r#"cidrnetmask("10.0.0.0/0")"#, r#""0.0.0.0""#),
        (r#"cidrnetmask("10.0.0.0/32")"#, r#""255.255.255.255""#),
        (r#"cidrnetmask("::/64")"#, r#"error at "::/64": cidrnetmask: only IPv4 has masks"#),
        (r#"cidrsubnet("172.16.0.0/12", 4, 2)"#, r#""172.18.0.0/16""#),
        (r#"cidrsubnet("10.1.2.0/24", 0, 0)"#, r#""10.1.2.0/24""#),
        (r#"cidrsubnet("fd00:fd12:3456:7890::/56", 16, 162)"#, r#""fd00:fd12:3456:7800:a200::/72""#),
        (
            r#"cidrsubnet("10.0.0.0/8", 4, 16)"#,
            "error at 16: cidrsubnet: with 4 bits more there is no network with this number",
        ),
        (r#"cidrsubnet("10.0.0.0/30", 4, 0)"#, "error at 4: cidrsubnet: 10.0.0.0/30 has only 2 bits left"),
        (
            r#"cidrsubnet("10.0.0.0/8", -1, 0)"#,
            "error at -1: cidrsubnet: the number of bits must not be negative",
        ),
        (
            r#"cidrsubnets("10.1.0.0/16", 4, 4, 8, 4)"#,
            r#"["10.1.0.0/20", "10.1.16.0/20", "10.1.32.0/24", "10.1.48.0/20"]"#,
        ),
        (r#"cidrsubnets("fd00::/8", 120, 1)"#, r#"["fd00::/128", "fd80::/9"]"#),
        (
            r#"cidrsubnets("10.0.0.0/8", 1, 1, 1)"#,
            "error at 1: cidrsubnets: 10.0.0.0/8 has no room for all of these networks",
        ),
        (r#"cidrcontains("10.0.0.0/8", "10.255.0.1")"#, "true"),
        (r#"cidrcontains("10.0.0.0/8", "11.0.0.0")"#, "false"),
        (r#"cidrcontains("10.0.0.0/8", "10.0.0.0/7")"#, "false"),
        (r#"cidrcontains("0.0.0.0/0", "::1")"#, "false"),
        (
            r#"cidrcontains("10.0.0.0/8", "x")"#,
            r#"error at "x": cidrcontains: "x" is neither an address nor a network"#,
        ),
        (
            r#"cidrhost("10.0.0.0", 1)"#,
            r#"error at "10.0.0.0": cidrhost: "10.0.0.0" is not a network, such as `10.0.0.0/8` or `fd00::/8`"#,
        ),
        (
            r#"cidrhost("10.0.0.0/33", 1)"#,
            r#"error at "10.0.0.0/33": cidrhost: "10.0.0.0/33" is not a network, such as `10.0.0.0/8` or `fd00::/8`"#,
        ),
        (
            r#"cidrhost("010.0.0.0/8", 1)"#,
            r#"error at "010.0.0.0/8": cidrhost: "010.0.0.0/8" is not a network, such as `10.0.0.0/8` or `fd00::/8`"#,
        ),
    ]);
}

#[test]
fn urls() {
    check(&[
        (r#"urlencode("a b/ü&=~")"#, r#""a+b%2F%C3%BC%26%3D~""#),
        (r#"urldecode("%C3%BC+%2b")"#, r#""ü +""#),
        (
            r#"urldecode("%C3")"#,
            r#"error at "%C3": urldecode: this is the code of something that is not text"#,
        ),
        (
            r#"urldecode("%4")"#,
            r#"error at "%4": urldecode: a `%` must be followed by two hexadecimal digits"#,
        ),
        (
            r#"urlparse("https://ada:pw@web1:8443/a/b?c=d&e#f")"#,
            r#"{scheme = "https", user = "ada", password = "pw", host = "web1", port = 8443, path = "/a/b", query = "c=d&e", fragment = "f"}"#,
        ),
        (
            r#"urlparse("HTTP://[fd00::1]")"#,
            r#"{scheme = "http", user = null, password = null, host = "fd00::1", port = null, path = "", query = null, fragment = null}"#,
        ),
        (r#"urlparse("http://[::1]:80/").port"#, "80"),
        (r#"urlparse("mailto:ada@example.com").path"#, r#""ada@example.com""#),
        (r#"urlparse("file:///etc/motd").path"#, r#""/etc/motd""#),
        (
            r#"urlparse("web1/a")"#,
            r#"error at "web1/a": urlparse: a URL begins with its scheme, as in `https://`"#,
        ),
        (
            r#"urlparse("http://a:x/")"#,
            r#"error at "http://a:x/": urlparse: the port must be a number up to 65535"#,
        ),
        (
            r#"urlparse("http://a:+80/")"#,
            r#"error at "http://a:+80/": urlparse: the port must be a number up to 65535"#,
        ),
        (
            r#"urlparse("http://a b")"#,
            r#"error at "http://a b": urlparse: a URL has no white space in it; `urlencode` replaces it"#,
        ),
    ]);
}
