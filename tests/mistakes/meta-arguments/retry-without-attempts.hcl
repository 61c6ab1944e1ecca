# expect: ? at 6:3 |retry| attempts

task "flaky" {
  check = "true"

  retry {
    delay = "1s"
  }
}
