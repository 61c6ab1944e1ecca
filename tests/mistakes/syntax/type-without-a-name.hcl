# expect: wrong-labels at 3:1 |file.content| `file.content` has no name

file.content {
  destination = "motd.txt"
}
