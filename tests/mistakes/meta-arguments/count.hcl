# expect: unknown-field at 4:3 |count| unknown field `count`

file.content "page" {
  count       = 3
  destination = "/tmp/page"
  content     = "x"
}
