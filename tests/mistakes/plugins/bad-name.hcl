# expect: bad-name at 3:8 |"the acme"| "the acme" cannot be the name of a plugin

plugin "the acme" {
  source = "./converge-plugin-acme"
  sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
}
