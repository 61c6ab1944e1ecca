# expect: ? at 5:17 |3| when

file.content "motd" {
  destination = "motd.txt"
  when        = 3
}
