# expect: bad-plugin at 3:1 |plugin "acme"| the plugin `acme` has no `sha256`

plugin "acme" {
  source = "./converge-plugin-acme"
}
