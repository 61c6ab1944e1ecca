# expect: unexpected-param at 11:5 |titel| has no parameter `titel`

task.query "names" {
  query = "ls"
}

module "lib/titled.hcl" "page" {
  for_each = split("\n", task.query.names.status.stdout)

  params {
    titel = each.key
  }
}
