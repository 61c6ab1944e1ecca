# expect: plugin at 3:1 |plugin "acme"| does not exist

plugin "acme" {
  source = "./converge-plugin-acme"
  sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
}
