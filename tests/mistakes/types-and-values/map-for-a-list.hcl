# expect: ? at 5:16 |{ e = true }| map

task "run" {
  check      = "true"
  exec_flags = { e = true }
}
