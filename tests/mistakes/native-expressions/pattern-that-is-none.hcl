# expect: ? at 5:23 |"[a"| pattern

file.content "motd" {
  destination = "motd.txt"
  content     = regex("[a", "abc")
}
