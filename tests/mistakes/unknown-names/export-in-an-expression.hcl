# expect: unknown-export at 9:17 |task.query.name.status.stdot| `task.query.name` has no export `status.stdot`

task.query "name" {
  query = "uname -n"
}

file.content "motd" {
  destination = "motd.txt"
  content     = task.query.name.status.stdot
}
