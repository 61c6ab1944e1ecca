# expect: not-a-duration at 5:13 |"soon"| "soon" is not a duration

task "wait" {
  check   = "true"
  timeout = "soon"
}
