# expect: ? at 5:17 |"maybe"| bool

file.content "motd" {
  destination = "motd.txt"
  content     = "maybe" ? "a" : "b"
}
