# expect: ? at 4:17 |each.key| for_each

file.content "motd" {
  destination = each.key
}
