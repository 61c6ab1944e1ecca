# expect: bad-meta-argument at 9:13 |"task.first"| `depends` must be a list of names

task "first" {
  check = "true"
}

task "second" {
  check   = "true"
  depends = "task.first"
}
