# expect: ? at 5:22 |"missing.txt"| missing.txt

file.content "motd" {
  destination = "motd.txt"
  content     = file("missing.txt")
}
