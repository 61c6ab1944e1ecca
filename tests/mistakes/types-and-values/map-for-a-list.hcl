# expect: wrong-type at 5:16 |{ e = true }| found a map

task "run" {
  check      = "true"
  exec_flags = { e = true }
}
