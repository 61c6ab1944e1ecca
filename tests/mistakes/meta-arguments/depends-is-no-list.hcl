# expect: ? at 9:13 |"task.first"| list

task "first" {
  check = "true"
}

task "second" {
  check   = "true"
  depends = "task.first"
}
