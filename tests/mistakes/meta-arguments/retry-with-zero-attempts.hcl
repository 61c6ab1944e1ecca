# expect: ? at 7:16 |0| attempts

task "flaky" {
  check = "true"

  retry {
    attempts = 0
  }
}
