# expect: ? at 5:14 |"task.second"| cycle

task "first" {
  check   = "true"
  depends = ["task.second"]
}

task "second" {
  check   = "true"
  depends = ["task.first"]
}
