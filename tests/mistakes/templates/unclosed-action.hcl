# expect: ? at 5:24 |{{param `name`| }}

file.content "motd" {
  destination = "motd.txt"
  content     = "hello {{param `name`"
}
