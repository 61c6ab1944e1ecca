# expect: ? at 7:5 |atempts| atempts

task "flaky" {
  check = "true"

  retry {
    atempts = 3
  }
}
