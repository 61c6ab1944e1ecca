# expect: template at 5:24 |{{param `name`| `}}` is missing

file.content "motd" {
  destination = "motd.txt"
  content     = "hello {{param `name`"
}
