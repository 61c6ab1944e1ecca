# expect: plugin at 3:1 |plugin "acme"| has no SHA-256 `12`: that is 64 hexadecimal digits

plugin "acme" {
  source = "./no-sha256.hcl"
  sha256 = "12"
}
