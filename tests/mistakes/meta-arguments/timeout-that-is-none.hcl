# expect: bad-meta-argument at 5:17 |"a while"| `timeout` must be a duration

file.content "motd" {
  destination = "motd.txt"
  timeout     = "a while"
}
