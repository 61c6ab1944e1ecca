# expect: value-not-known at 8:17 |toset(split("\n", task.query.names.status.stdout))| `for_each` must be known

task.query "names" {
  query = "ls"
}

file.content "page" {
  for_each    = toset(split("\n", task.query.names.status.stdout))
  destination = each.key
}
