# expect: unknown-argument at 7:5 |atempts| `retry` takes no `atempts`

task "flaky" {
  check = "true"

  retry {
    atempts = 3
  }
}
