# expect: ? at 4:17 |3| for_each

file.content "page" {
  for_each    = 3
  destination = "page-{{each.key}}"
}
