# expect: ? at 10:18 |"task.creat"| task.creat

task "create" {
  check = "test -d data"
  apply = "mkdir data"
}

file.content "motd" {
  destination = "data/motd.txt"
  depends     = ["task.creat"]
}
