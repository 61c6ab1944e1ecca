# expect: ? at 3:21 |{| `}`

file.content "motd" {
  destination = "motd.txt"
  content     = "hello"
