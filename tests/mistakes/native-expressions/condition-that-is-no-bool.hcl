# expect: expression at 5:17 |"maybe"| the condition needs true or false

file.content "motd" {
  destination = "motd.txt"
  content     = "maybe" ? "a" : "b"
}
