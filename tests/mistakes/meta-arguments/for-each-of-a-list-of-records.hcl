# expect: bad-meta-argument at 4:18 |{ path = "/tmp/a" }| not a list of records

file.content "page" {
  for_each    = [{ path = "/tmp/a" }, { path = "/tmp/b" }]
  destination = each.value.path
}
