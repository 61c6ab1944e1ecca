# expect: expression at 4:17 |each.key| `each` is only known

file.content "motd" {
  destination = each.key
}
