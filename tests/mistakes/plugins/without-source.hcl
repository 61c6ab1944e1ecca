# expect: bad-plugin at 3:1 |plugin "acme"| the plugin `acme` has no `source`

plugin "acme" {
  sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
}
