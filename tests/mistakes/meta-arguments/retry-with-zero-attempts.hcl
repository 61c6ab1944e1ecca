# expect: bad-meta-argument at 7:16 |0| `attempts` must be a whole number of at least 1

task "flaky" {
  check = "true"

  retry {
    attempts = 0
  }
}
