# expect: unknown-resource at 9:19 |"file.content.cnf"| `on_change_of` names `file.content.cnf`

file.content "conf" {
  destination = "conf"
}

task "reload" {
  check        = "true"
  on_change_of = ["file.content.cnf"]
}
