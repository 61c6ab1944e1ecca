# expect: bad-meta-argument at 4:17 |3| `for_each` must be a list of texts, or a map

file.content "page" {
  for_each    = 3
  destination = "page-{{each.key}}"
}
