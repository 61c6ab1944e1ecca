# expect: no-for-each at 4:17 |each.key| `each` is used where there is no `for_each`

file.content "motd" {
  destination = each.key
}
