# expect: plugin at 3:1 |plugin "acme"| is not executable

plugin "acme" {
  source = "./another-file.hcl"
  sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
}
