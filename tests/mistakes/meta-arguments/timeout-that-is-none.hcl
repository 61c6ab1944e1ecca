# expect: ? at 5:17 |"a while"| timeout

file.content "motd" {
  destination = "motd.txt"
  timeout     = "a while"
}
