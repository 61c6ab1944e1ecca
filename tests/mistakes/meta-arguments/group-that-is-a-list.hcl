# expect: bad-meta-argument at 5:11 |["apt"]| `group` must be a name

task "apt" {
  check = "true"
  group = ["apt"]
}
