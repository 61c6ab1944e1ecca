# expect: ? at 5:13 |"soon"| soon

task "wait" {
  check   = "true"
  timeout = "soon"
}
