# expect: bad-meta-argument at 6:3 |retry| `attempts` must be written

task "flaky" {
  check = "true"

  retry {
    delay = "1s"
  }
}
