# expect: value-not-known at 8:14 |split("\n", task.query.names.status.stdout)| `for_each` of a module must be known

task.query "names" {
  query = "ls"
}

module "lib/titled.hcl" "page" {
  for_each = split("\n", task.query.names.status.stdout)

  params {
    title = each.key
  }
}
