# expect: ? at 5:11 |["apt"]| group

task "apt" {
  check = "true"
  group = ["apt"]
}
