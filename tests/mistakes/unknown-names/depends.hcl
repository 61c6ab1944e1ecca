# expect: unknown-resource at 10:18 |"task.creat"| `depends` names `task.creat`

task "create" {
  check = "test -d data"
  apply = "mkdir data"
}

file.content "motd" {
  destination = "data/motd.txt"
  depends     = ["task.creat"]
}
