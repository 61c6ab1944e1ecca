# expect: expression at 5:17 |timestamp| there is no function `timestamp`; write `task.query.NAME.status.stdout`

file.content "built" {
  destination = "/tmp/built"
  content     = timestamp()
}
