# expect: cycle at 5:14 |"task.second"| resources wait for each other: task.first -> task.second -> task.first

task "first" {
  check   = "true"
  depends = ["task.second"]
}

task "second" {
  check   = "true"
  depends = ["task.first"]
}
